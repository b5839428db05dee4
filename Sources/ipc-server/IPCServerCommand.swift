import ArgumentParser
import IPCModel
import IPCTools

@main
struct IPCServerCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "ipc-server",
        abstract: "Receive URLs and the payloads sent with them, print each one, and answer.",
        discussion: ReceiverOptions.discussion + "\n\n" + """
            EXAMPLES
              ipc-server
              ipc-server --count 1
              ipc-server --reply "thank you"
              ipc-server --application com.example.Notes --scheme com.example.notes \\
                  --exec 'cat >> "$HOME/notes.txt"'
              ipc-server --json | jq -r .url
            """,
        version: ProductVersion.text)

    @Option(
        help: ArgumentHelp("The application id to own while running.", valueName: "id"),
        completion: LiveNames.applications)
    var application = "demo.IPCServer"

    @Option(
        name: .customLong("scheme"),
        help: ArgumentHelp("A URL scheme to handle. May be repeated. (default: IPCServer.demo)", valueName: "scheme"),
        completion: LiveNames.schemes)
    var schemes: [String] = []

    @OptionGroup var receiver: ReceiverOptions
    @OptionGroup var output: OutputOptions

    static func main() { ToolProcess.run(Self.self) }

    func run() async throws {
        let schemes = schemes.isEmpty ? ["IPCServer.demo"] : schemes
        try await MessageReceiver(application: application, schemes: schemes, receiver, output).run()
    }
}
