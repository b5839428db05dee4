import ArgumentParser
import IPC
import IPCTools

struct BoardClear: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "clear", abstract: "Remove the content of a pasteboard, but not the pasteboard itself.",
        discussion: """
            EXAMPLES
              ipc-client board clear notes
              ipc-client board clear general
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func run() async throws {
        let app = try await broker.connect()
        let count = try await Pasteboard(named: PasteboardName(board), of: app).clear()
        try output.print(.object(["pasteboard": .string(board), "change-count": .count(count)]), text: nil)
    }
}

struct BoardRemove: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "remove", abstract: "Remove a pasteboard with all its versions.",
        discussion: """
            Requests that have not ended keep their content. The pasteboard "general" cannot be removed, only cleared.

            EXAMPLES
              ipc-client board remove notes
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.board(board)] }

    func run() async throws {
        try await broker.connect().removePasteboard(named: PasteboardName(board))
        try output.print(.object(["pasteboard": .string(board), "removed": .boolean(true)]), text: nil)
    }
}
