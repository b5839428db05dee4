import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Clear: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        _superCommandName: Client.tool,
        abstract: "Take everything off a pasteboard; it stays, empty.",
        discussion: """
            EXAMPLES
              ipc-client clear notes
              ipc-client clear general
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        let count = try await Pasteboard(named: board, of: app).clear()
        try output.print(.object(["pasteboard": .string(board), "change-count": .count(count)]), text: nil)
    }
}
