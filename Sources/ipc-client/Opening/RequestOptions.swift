import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTools

struct RequestOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Act as the application with this id.", valueName: "id"),
        completion: LiveNames.applications)
    var application = Client.id

    @Option(
        help: ArgumentHelp("The application that gets the URL, even if another one is the handler.", valueName: "id"),
        completion: LiveNames.applications)
    var to: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long to wait for the answer: seconds, or 300ms, 20s, 2m. A broker that hangs or restarts gets 5 s more. \
            (default: 20s)
            """, valueName: "time"),
        transform: TimeSpan.parse)
    var timeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "The id of the request. Opening with the same id again has no further effect. (default: a random id)",
            valueName: "id"))
    var id: String?

    @Option(
        help: ArgumentHelp(
            "The request whose handler opens this URL. (default: $IPC_ID, which --exec sets)",
            valueName: "id"), completion: LiveNames.requests)
    var parent: String?

    /// The default options, created without the parser.
    static var unstated: RequestOptions {
        var options = RequestOptions()
        options.application = Client.id
        (options.to, options.timeout, options.id, options.parent) = (nil, nil, nil, nil)
        return options
    }

    /// The names in these options that may be misspelled.
    var statedNames: [StatedName] { to.map { [.application($0)] } ?? [] }

    /// The timeout of a waiting sender, as on the command line.
    var waitingTime: String { timeout?.defaultValueDescription ?? "20s" }

    /// Connects to the bus. The timeout for the answer also limits the wait for the bus.
    @DBusActor
    func connect(_ queueing: QueueOptions? = nil) async throws(IPCError) -> Application {
        try await Client.connect(as: application, within: queueing?.queue ?? false ? nil : timeout?.duration)
    }

    /// Throws if the environment names a parent request with an invalid id, unless `--parent` names another one.
    func checkEnvironment(_ environment: RequestEnvironment = .ofProcess) throws(ToolFailure) {
        guard parent == nil, let stated = environment.parent else { return }
        do throws(IPCError) { _ = try RequestID(stated) } catch {
            throw ToolFailure(
                name: error.code.rawValue,
                message: "IPC_ID in the environment: \(error.message); unset it, or give --parent",
                exit: error.exit)
        }
    }

    /// Returns the options for the library. They always have an id, so that the request can be cancelled or found.
    func openOptions(
        _ queueing: QueueOptions? = nil, in environment: RequestEnvironment = .ofProcess
    ) throws(IPCError) -> OpenOptions {
        var open = OpenOptions()
        open.application = try to.map(ApplicationID.init(_:))
        open.timeout = timeout?.duration
        open.id = try id.map(RequestID.init(_:)) ?? .random()
        open.parent = try (parent ?? environment.parent).map(RequestID.init(_:))
        open.activationToken = environment.activationToken
        if let queueing {
            open.isQueued = queueing.queue
            open.requestTimeToLive = queueing.timeToLive?.duration
        }
        return open
    }
}

struct QueueOptions: ParsableArguments, Sendable {
    @Flag(
        help: """
            Do not wait for the handler, which need not be running. Print the request's id as soon as it is on disk. \
            With --queue, --timeout sets how long the handler may take, 10m by default.
            """)
    var queue = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --queue, how long the request may wait for delivery, at most 30d. (default: 7d)", valueName: "time"),
        transform: TimeSpan.parseLong)
    var timeToLive: TimeSpan?

    /// The default options, created without the parser.
    static var unstated: QueueOptions {
        var options = QueueOptions()
        (options.queue, options.timeToLive) = (false, nil)
        return options
    }

    private static let most: UInt64 = 30 * 86_400_000

    func validate() throws {
        guard let timeToLive else { return }
        guard queue else { throw ValidationError("--time-to-live is for queued requests; add --queue.") }
        guard timeToLive.milliseconds <= Self.most else {
            throw ValidationError("A request can wait for at most 30d; give a shorter --time-to-live.")
        }
    }
}

/// The environment variables that a program gets if it was started to handle a request.
struct RequestEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    init(_ variable: @escaping @Sendable (String) -> String?) { self.variable = variable }

    /// The environment variables of this process. A value that is not UTF-8 counts as missing.
    static let ofProcess = RequestEnvironment { getenv($0).flatMap { String(validatingCString: $0) } }

    /// The id of the request whose `--exec` command started this program; nil if there is none.
    var parent: String? { variable("IPC_ID").flatMap { $0.isEmpty ? nil : $0 } }

    /// The token that lets the handler raise its window: an xdg-activation token (Wayland), or a startup id of the
    /// Startup Notification Specification (X11). A value above 1,024 bytes is ignored: a real token has a few dozen.
    var activationToken: String? {
        ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"].lazy.compactMap(variable).first {
            !$0.isEmpty && $0.utf8.count <= 1_024
        }
    }
}
