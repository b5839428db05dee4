import ArgumentParser
import IPC
import IPCModel
import IPCTools

struct SchemeCanOpen: ClientCommand {
    static let configuration = CommandConfiguration(
        command: "can-open", abstract: "Check whether a URL can be opened now.",
        discussion: """
            Prints "yes" or "no". The exit code is 0 for yes, 68 if no application handles the scheme, 69 if its \
            handler is not running and cannot be started, and 77 if the handler's policy rejects the source. The \
            command starts no application, and asks only the broker. With --wait, it prints "no" only when time is up.

            EXAMPLES
              ipc-client scheme can-open IPCServer.demo:
              ipc-server & ipc-client scheme can-open IPCServer.demo: --wait 10
              ipc-client scheme can-open com.example.notes: || echo "no handler"
            """)

    @Argument(help: "The URL. Only its scheme matters.", completion: LiveNames.urls)
    var url: String

    @Option(
        help: ArgumentHelp("Act as the application with this id.", valueName: "id"),
        completion: LiveNames.applications)
    var application = Client.id

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for a \"yes\": seconds, or 300ms, 20s, 2m. (default: not at all)", valueName: "time"),
        transform: TimeSpan.parse)
    var wait: TimeSpan?

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    var statedNames: [StatedName] { [.url(url)] }

    func run() async throws {
        let app = try await broker.connect(as: application, waiting: wait?.duration ?? .zero)
        let canOpen =
            if let wait { try await app.canOpenURL(url, within: wait.duration) } else { try await app.canOpenURL(url) }
        if canOpen {
            return try output.print(.object(["url": .string(url), "can-open": .boolean(true)]), text: "yes")
        }
        let resolution = try await app.resolve(url)
        try output.print(
            .object([
                "url": .string(url), "can-open": .boolean(false),
                "application": resolution.application.map { .string($0) }, "reason": .string(resolution.reason),
            ]), text: "no")
        throw await refusal(resolution, app)
    }

    @DBusActor
    private func refusal(_ resolution: URLResolution, _ app: Application) async -> ToolFailure {
        guard let application = resolution.application else {
            return ToolFailure(
                name: "NoHandler",
                message: "no application handles this scheme; start one, or see 'ipc-client scheme list'",
                exit: .noHandler)
        }
        let source = Source(application: self.application, strength: .claimed)
        let isKeptOut = (try? await app.policy(of: ApplicationID(application)))?.allows(source) != true
        guard !resolution.isRunning, !(resolution.isActivatable && isKeptOut) else {
            return ToolFailure(
                name: "AccessDenied",
                message: "\(application) handles this scheme, but its policy rejects \(self.application); see "
                    + "'ipc-client scheme policy \(application)'",
                exit: .notPermitted)
        }
        let reason =
            resolution.isActivatable
            ? "it has just failed, and is restarted only after a pause; 'ipc-client open' shows the reason"
            : "it is not running, and the bus cannot start it; start it"
        return ToolFailure(
            name: "HandlerUnavailable", message: "\(application) handles this scheme, but \(reason)", exit: .unavailable
        )
    }
}
