package import ArgumentParser

/// The options of a receiver, for `ipc-server` and `ipc-client listen`.
package struct ReceiverOptions: ParsableArguments, Sendable {
    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many messages are answered.", valueName: "n"))
    package var count: UInt64?

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp(
            "Run a shell command for every message, with the content on its standard input.", valueName: "command"))
    package var command: String?

    @Option(help: ArgumentHelp("Answer every message with this text.", valueName: "text"))
    package var reply: String?

    @Flag(help: "Decline every message after printing it.")
    package var decline = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many messages may be in hand at a time, each with a command of its own.", valueName: "n"))
    package var window: UInt32 = 1

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Open the callbacks of x-callback-url with the answer.")
    package var callbacks = true

    package init() {}

    /// The broker's limit of a window.
    private static let mostInHand: UInt32 = 1_024

    package func validate() throws {
        guard count != 0 else { throw ValidationError("--count is at least 1.") }
        guard (1...Self.mostInHand).contains(window) else {
            throw ValidationError("--window is 1 to \(Self.mostInHand).")
        }
        let answers = [command != nil, reply != nil, decline].count { $0 }
        guard answers < 2 else {
            throw ValidationError("--exec, --reply and --decline exclude each other: a message has one answer.")
        }
    }

    /// The part that the help texts of both programs share.
    package static let discussion = """
        Each message is one line on standard output, written at once: the text of its payload, with "\\\\" for a \
        backslash, "\\n" and "\\r" for line ends, and "\\u" with four hexadecimal digits for other controls. A message \
        without text is a line that starts with "\\(". With --json it is one JSON object with all that came.

        A command for --exec runs by "sh -c". It finds IPC_URL, IPC_SOURCE, IPC_SOURCE_STRENGTH, IPC_BOARD, \
        IPC_CHANGE_COUNT, IPC_TYPE, IPC_ID and IPC_ATTEMPT (above 1: it came before) in its environment, and the \
        sender's activation token. Its exit code 0 means handled, and what it prints is the reply; any other exit code \
        means failed. What 'ipc-client' opens in it is a child of the message, so that loops are cut.

        A message that came by x-callback-url and names x-success, x-error or x-cancel is answered there too.

        SIGTERM, SIGINT or SIGHUP: the messages at hand are answered, the others go back to the broker, then exit 0. A \
        second one ends the commands too.
        """
}
