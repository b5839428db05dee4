package import ArgumentParser

/// What a receiver does with the messages that come, the same for `ipc-server` and `ipc-client listen`.
package struct ReceiverOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("End after this many messages are answered.", valueName: "n"))
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

    package init() {}

    package func validate() throws {
        guard count != 0 else { throw ValidationError("--count is at least 1.") }
        let answers = [command != nil, reply != nil, decline].count { $0 }
        guard answers < 2 else {
            throw ValidationError("--exec, --reply and --decline exclude each other: a message has one answer.")
        }
    }
}

extension ReceiverOptions {
    /// What the help of both programs says beyond the options.
    package static let discussion = """
        Each message is one line on standard output, written at once: the text of its payload, with "\\\\" for a \
        backslash, "\\n" and "\\r" for line ends, and "\\u" with four hexadecimal digits for other controls. A message \
        without text is a line that starts with "\\(". With --json it is one JSON object with all that came.

        A command for --exec runs by "sh -c". It finds IPC_URL, IPC_SOURCE, IPC_SOURCE_STRENGTH, IPC_BOARD, IPC_TYPE, \
        IPC_ID and IPC_ATTEMPT in its environment. Its exit code 0 means handled, and what it prints is the reply; \
        any other exit code means failed.

        SIGTERM, SIGINT or SIGHUP: the message at hand is answered, then exit 0. A second one ends the command too.
        """
}
