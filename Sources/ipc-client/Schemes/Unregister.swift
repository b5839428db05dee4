import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

struct Unregister: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        _superCommandName: Client.tool,
        abstract: "Take back claims of an application to URL schemes.",
        discussion: """
            Takes back what 'register' has written, too: each file is as it was before, and what others have written into \
            it since stays. A scheme that the application does not claim is no error. A claim that comes from a file of a \
            package stays: take the file away.

            EXAMPLES
              ipc-client unregister IPCServer.demo --application demo.IPCServer
              ipc-client unregister --all --application com.example.Notes
            """)

    @Argument(
        help: ArgumentHelp("The URL schemes, without a colon.", valueName: "scheme"), completion: LiveNames.schemes)
    var schemes: [String] = []

    @Option(help: ArgumentHelp("Whose claims end.", valueName: "id"), completion: LiveNames.applications)
    var application: String

    @Flag(help: "All schemes of the application.")
    var all = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard all == schemes.isEmpty else { throw ValidationError("Name the schemes, or give --all.") }
    }

    @DBusActor
    func run() async throws {
        let app = try await Client.connect()
        var refusal: IPCError?
        do throws(IPCError) { try await app.unregister(schemes, of: application) } catch {
            // A running application keeps its own claim; one for the session is beside it.
            guard error.code == .notOwner else { throw error }
            refusal = error
        }
        let links = try await app.unregisterFromDesktop(schemes, of: application)
        let session = try await app.unregisterForSession(schemes, of: application)
        let files = links.files + session.files
        if let refusal, files.isEmpty { throw refusal }
        try output.print(
            .object([
                "application": .string(application), "schemes": .array(schemes.map { .string($0) }),
                "all": .boolean(all), "files": files.json,
            ]), text: files.lines)
        for file in files where file.change == "kept" {
            try output.warn("Kept", "\(file.path) stays, for somebody has changed it; remove it yourself")
        }
    }
}
