import ArgumentParser
import IPCTools

/// A handler with the id and the scheme of the sample client, for replies that arrive as URLs.
struct Listen: ToolCommand {
    static let configuration = CommandConfiguration(
        command: "listen", abstract: "Receive URLs and the payloads sent with them, print each one, and answer.",
        discussion: ReceiverOptions.discussion + "\n\n" + """
            EXAMPLES
              ipc-client listen
              ipc-client listen --count 1 --json
              ipc-client send --url IPCClient.demo: hello     # in another terminal
            """)

    @Option(
        help: ArgumentHelp("The application id to own while running.", valueName: "id"),
        completion: LiveNames.applications)
    var application = Client.id

    @Option(
        name: .customLong("scheme"),
        help: ArgumentHelp("A URL scheme to handle. May be repeated. (default: IPCClient.demo)", valueName: "scheme"),
        completion: LiveNames.schemes)
    var schemes: [String] = []

    @OptionGroup var receiver: ReceiverOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let schemes = schemes.isEmpty ? ["IPCClient.demo"] : schemes
        try await MessageReceiver(application: application, schemes: schemes, receiver, output).run()
    }
}
