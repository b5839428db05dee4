package import ArgumentParser

/// The options of the handlers `ipc-server` and `ipc-client listen`.
package struct ReceiverOptions: ParsableArguments, Sendable {
    @Option(parsing: .unconditional, help: ArgumentHelp("Exit after answering this many messages.", valueName: "n"))
    package var count: UInt64?

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Run a shell command for every message, with the content on its standard input.", valueName: "command"))
    package var command: String?

    @Option(
        help: ArgumentHelp(
            """
            What the output of the command becomes: a reply of this content type, "auto" (a reply: text if it is \
            UTF-8, otherwise bytes), or "none" (no reply: it goes to standard error).
            """, valueName: "type"))
    package var replyType = CommandReply.automatic

    @Option(help: ArgumentHelp("Answer every message with this text.", valueName: "text"))
    package var reply: String?

    @Flag(help: "Decline every message after printing it.")
    package var decline = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Handle up to this many messages at once, each with its own command.", valueName: "n"))
    package var window: UInt32 = 1

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Open the callbacks of an x-callback-url with the answer.")
    package var callbacks = true

    @Flag(help: "Accept schemes that are reserved for the system, such as http and mailto.")
    package var allowReserved = false

    package init() {}

    /// The broker's limit for `--window`, the number of messages that are handled at once.
    private static let mostInHand: UInt32 = 1_024

    package func validate() throws {
        guard count != 0 else { throw ValidationError("--count must be at least 1.") }
        guard (1...Self.mostInHand).contains(window) else {
            throw ValidationError("--window must be from 1 to \(Self.mostInHand).")
        }
        let answers = [command != nil, reply != nil, decline].count { $0 }
        guard answers < 2 else {
            throw ValidationError("Give only one of --exec, --reply and --decline: a message gets one answer.")
        }
        guard command != nil || replyType == .automatic else {
            throw ValidationError("--reply-type is for the output of a command; add --exec.")
        }
    }

    /// The part of the help text that `ipc-server` and `ipc-client listen` share.
    package static let discussion = """
        Prints each message immediately, on one line of standard output: the text of its payload, with "\\\\" for a \
        backslash, "\\n" and "\\r" for line ends, and "\\u" with four hexadecimal digits for other control characters. \
        If a message has no text, its line starts with "\\(". With --json, the line is a JSON object with all \
        properties of the message.

        The command of --exec runs with "sh -c". Its environment has IPC_URL, IPC_SOURCE, IPC_SOURCE_STRENGTH, \
        IPC_BOARD, IPC_CHANGE_COUNT, IPC_TYPE, IPC_ID, IPC_ATTEMPT (above 1 if the message was delivered before), and \
        the sender's activation token. Exit code 0 means that the message is handled, and the output of the command \
        is the reply, unless --reply-type says otherwise. Any other exit code means that the message failed. If the command opens a URL with \
        'ipc-client', the new request is a child of the message, so that the broker can stop loops.

        If the URL of a message is an x-callback-url with x-success, x-error or x-cancel, the handler also opens the \
        callback that matches its answer.

        On SIGTERM, SIGINT or SIGHUP, the handler finishes the messages that it is working on, returns the others to \
        the broker, and exits with 0. A second signal also stops the commands.
        """
}
