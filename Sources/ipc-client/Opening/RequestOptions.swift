import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTools

struct RequestOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("State this application id as the source.", valueName: "id"),
        completion: LiveNames.applications)
    var application = Client.id

    @Option(
        help: ArgumentHelp("The application that is to get it, whoever handles the scheme.", valueName: "id"),
        completion: LiveNames.applications)
    var to: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How long to wait for the answer: seconds, or 300ms, 20s, 2m; of a queued request, how long the receiver has \
            for it. (default: 20s; queued: 10m)
            """, valueName: "time"), transform: TimeSpan.parse)
    var timeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "The id of the request; the same id again has no second effect. (default: a random one)",
            valueName: "id"))
    var id: String?

    @Option(
        help: ArgumentHelp(
            "The request that is being handled while this one is made. (default: $IPC_ID, as --exec sets it)",
            valueName: "id"), completion: LiveNames.requests)
    var parent: String?

    /// The defaults, without the parser.
    static var unstated: RequestOptions {
        var options = RequestOptions()
        options.application = Client.id
        (options.to, options.timeout, options.id, options.parent) = (nil, nil, nil, nil)
        return options
    }

    /// The time-out of a sender that waits, as the command line has it.
    var waitingTime: String { timeout?.defaultValueDescription ?? "20s" }

    /// Connects. The time-out for the answer limits the wait for the bus too.
    @DBusActor
    func connect(_ queueing: QueueOptions? = nil) async throws(IPCError) -> Application {
        try await Client.connect(as: application, within: queueing?.queue ?? false ? nil : timeout?.duration)
    }

    /// Rejects a parent of the environment that is no id of a request, unless `--parent` overrides it.
    func checkEnvironment(_ environment: RequestEnvironment = .ofProcess) throws(ToolFailure) {
        guard parent == nil, let stated = environment.parent else { return }
        do throws(IPCError) { _ = try RequestID(stated) } catch {
            throw ToolFailure(
                name: error.code.rawValue,
                message: "IPC_ID in the environment: \(error.message); unset it, or say --parent",
                exit: error.code.exit)
        }
    }

    /// The library's options. There is always an id, so that the request can be cancelled, and found later.
    func openOptions(_ queueing: QueueOptions? = nil, in environment: RequestEnvironment = .ofProcess) -> OpenOptions {
        var open = OpenOptions()
        open.application = to
        open.timeout = timeout?.duration
        open.id = id ?? RequestID.random().text
        open.parent = parent ?? environment.parent
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
            Do not wait for the receiver, which need not run: print the id of the request as soon as it is on the disk.
            """)
    var queue = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --queue: how long it may wait for its delivery, at most 30d. (default: 7d)", valueName: "time"),
        transform: TimeSpan.parseLong)
    var timeToLive: TimeSpan?

    /// The defaults, without the parser.
    static var unstated: QueueOptions {
        var options = QueueOptions()
        (options.queue, options.timeToLive) = (false, nil)
        return options
    }

    private static let most: UInt64 = 30 * 86_400_000

    func validate() throws {
        guard let timeToLive else { return }
        guard queue else { throw ValidationError("--time-to-live is of a request that waits; add --queue.") }
        guard timeToLive.milliseconds <= Self.most else {
            throw ValidationError("A request can wait for 30d at most; give a shorter --time-to-live.")
        }
    }
}

/// The environment of a program that works on another request.
struct RequestEnvironment: Sendable {
    private let variable: @Sendable (String) -> String?

    init(_ variable: @escaping @Sendable (String) -> String?) { self.variable = variable }

    /// The environment of this process; a value that is not UTF-8 counts as missing.
    static let ofProcess = RequestEnvironment { getenv($0).flatMap { String(validatingCString: $0) } }

    /// The request whose `--exec` command started this program.
    var parent: String? { variable("IPC_ID").flatMap { $0.isEmpty ? nil : $0 } }

    /// The token that lets the receiver raise its window: of xdg-activation (Wayland), or the startup id of the Startup
    /// Notification Specification (X11). Tokens have some tens of bytes; a longer value is none.
    var activationToken: String? {
        ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"].lazy.compactMap(variable).first {
            !$0.isEmpty && $0.utf8.count <= 1_024
        }
    }
}
