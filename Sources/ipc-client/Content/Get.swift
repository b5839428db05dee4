import ArgumentParser
import IPC
import IPCTools

/// `paste` and `get` differ only in where the pasteboard's name goes on the command line.
struct Paste: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "paste", abstract: "Print the content of the general pasteboard, byte for byte.",
        discussion: ReadingArguments.discussion + "\n\n" + """
            EXAMPLES
              ipc-client paste
              ipc-client paste --list-types
              ipc-client paste --type text/html --output page.html
              ipc-client paste --board jobs --take
            """)

    @Option(help: ArgumentHelp("The pasteboard.", valueName: "board"), completion: LiveNames.boards)
    var board = Client.generalPasteboard

    @OptionGroup var reading: ReadingArguments
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func validate() throws { try reading.check(output) }

    func run() async throws { try await reading.read(board, output) }
}

struct Get: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "get", abstract: "Print the content of a pasteboard, byte for byte.",
        discussion: ReadingArguments.discussion + "\n\n" + """
            EXAMPLES
              ipc-client get demo.IPCClient
              ipc-client get --type image/png --item 1 pictures > second.png
              ipc-client get --json demo.IPCClient | jq -r '.items[][].type'
              ipc-client get notes --change-count 41
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @OptionGroup var reading: ReadingArguments
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func validate() throws { try reading.check(output) }

    func run() async throws { try await reading.read(board, output) }
}
