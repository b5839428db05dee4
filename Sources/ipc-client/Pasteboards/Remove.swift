import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Remove: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        _superCommandName: Client.tool,
        abstract: "Remove a pasteboard with all its versions.",
        discussion: """
            Requests on their way keep what they carry. The pasteboard "general" cannot be removed, only cleared.

            EXAMPLES
              ipc-client remove notes
            """)

    @Argument(help: "The pasteboard.", completion: LiveNames.boards)
    var board: String

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        try await Client.connect().removePasteboard(named: board)
        try output.print(.object(["pasteboard": .string(board), "removed": .boolean(true)]), text: nil)
    }
}
