import ArgumentParser
import IPC
import IPCTools

import class IPCDBus.DBusActor

/// Opens a URL without a new payload.
struct Open: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open a URL and wait for the answer.",
        discussion: """
            A reply of the receiver goes to standard output, byte for byte; the outcome is the exit code.

            EXAMPLES
              ipc-client open IPCServer.demo:hello
              ipc-client open --pasteboard demo.IPCClient IPCServer.demo:again
              ipc-client open --to com.example.Viewer 'mailto:somebody@example.com'
            """)

    @Argument(help: "The URL; it arrives unchanged.")
    var url: String

    @Option(help: ArgumentHelp("Send what is on this pasteboard now.", valueName: "board"))
    var pasteboard: String?

    @OptionGroup var request: RequestOptions
    @OptionGroup var output: OutputOptions

    @DBusActor
    func run() async throws {
        let app = try await Client.connect(as: request.application)
        let board = try pasteboard.map { (name) throws(IPCError) in try Pasteboard(named: name, of: app) }
        let response = try await app.open(url, on: board, options: request.open)
        try response.report(url: url, request, output)
    }
}
