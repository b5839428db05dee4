import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct SetBoard: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Put text or a file on a pasteboard.",
        discussion: """
            Replaces what was there. The pasteboard is made, persistent, if there is none; then its content is on the \
            disk when the command ends.

            EXAMPLES
              ipc-client set notes "buy milk"
              date | ipc-client set notes
              ipc-client set pictures --file picture.png --type image/png
            """)

    @Argument(help: "The pasteboard.")
    var board: String

    @OptionGroup var content: ContentOptions

    @Option(help: ArgumentHelp("State this application id as the source.", valueName: "id"))
    var application = Client.id

    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let item = try content.item()
        let app = try await Client.connect(as: application)
        let count = try await app.pasteboard(named: board, create: true).setItems([item])
        try output.print(.object(["pasteboard": .string(board), "change-count": .count(count)]), text: "")
    }
}
