import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Unregister: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        _superCommandName: Client.tool,
        abstract: "Take back stored claims of an application to URL schemes.",
        discussion: """
            A scheme that the application does not claim is no error. A claim that comes from a file stays: take the \
            file away.

            EXAMPLES
              ipc-client unregister IPCServer.demo --application demo.IPCServer
              ipc-client unregister --all --application com.example.Notes
            """)

    @Argument(help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"))
    var schemes: [String] = []

    @Option(help: ArgumentHelp("Whose claims end.", valueName: "id"))
    var application: String

    @Flag(help: "All schemes of the application.")
    var all = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all == schemes.isEmpty else { throw ValidationError("Name the schemes, or give --all.") }
    }

    @DBusActor
    func run() async throws {
        try await Client.connect().unregister(schemes, of: application)
        try output.print(
            .object([
                "application": .string(application), "schemes": .array(schemes.map { .string($0) }),
                "all": .boolean(all),
            ]), text: "")
    }
}
