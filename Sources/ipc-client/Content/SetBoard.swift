import ArgumentParser
import IPC
import IPCTools

/// `copy` and `set` differ only in where the pasteboard's name goes on the command line.
struct Copy: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "copy", abstract: "Put text, standard input or files on the general pasteboard.",
        discussion: """
            Replaces the content of the pasteboard. The bytes stay unchanged, including a newline at the end. Large \
            content goes to the broker as a file descriptor, and no process is left running. 'set BOARD' does the same \
            for another pasteboard.

            EXAMPLES
              ipc-client copy "buy milk"
              date | ipc-client copy
              ipc-client copy --type text/html=page.html --type text/plain=page.txt
              pass show bank | ipc-client copy --sensitive --trim-newline
              ipc-client copy --board notes --if-change-count 41 --expire 10m later
            """)

    @Option(
        help: ArgumentHelp(
            "The pasteboard. If a named one does not exist, it is created as a persistent one.", valueName: "board"),
        completion: LiveNames.boards)
    var board = Client.generalPasteboard

    @OptionGroup var content: ContentOptions
    @OptionGroup var writing: WritingArguments
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func run() async throws { try await writing.write(content, to: board, output) }
}

struct SetBoard: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "set", abstract: "Put text, standard input or files on a pasteboard.",
        discussion: """
            Replaces the content of the pasteboard. If the pasteboard does not exist, it is created as a persistent \
            one. The content of a persistent pasteboard is on disk when the command exits. 'copy' does the same for \
            the general pasteboard.

            EXAMPLES
              ipc-client set notes "buy milk"
              date | ipc-client set notes
              ipc-client set pictures --file picture.png --type image/png
              ipc-client set notes --if-change-count 41 "buy milk and bread"
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @OptionGroup var content: ContentOptions
    @OptionGroup var writing: WritingArguments
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func run() async throws { try await writing.write(content, to: board, output) }
}
