import ArgumentParser
import IPC
import IPCModel
import IPCTools

import class IPCDBus.DBusActor

/// Options of the commands that open a URL.
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

    /// As on a line without any of them.
    static var unstated: RequestOptions {
        var options = RequestOptions()
        options.application = Client.id
        (options.to, options.timeout, options.id, options.parent) = (nil, nil, nil, nil)
        return options
    }

    /// How long a sender waits that states nothing.
    private static let defaultTimeout = "20s"

    /// The time-out of a sender who waits, as it was written.
    var waitingTime: String { timeout?.defaultValueDescription ?? Self.defaultTimeout }

    /// Connects; a sender that waits for the answer waits no longer for the bus.
    @DBusActor
    func connect(_ queueing: QueueOptions? = nil) async throws(IPCError) -> Application {
        try await Client.connect(as: application, within: queueing?.queue ?? false ? nil : timeout?.duration)
    }

    /// Refuses what the environment says where it counts and is wrong.
    func checkSurroundings(_ surroundings: Surroundings = .ofProcess) throws(ToolFailure) {
        if parent == nil { try surroundings.checkParent() }
    }

    /// The library's options. There is always an id, so that the request can be called off, and asked for later.
    func open(_ queueing: QueueOptions? = nil, in surroundings: Surroundings = .ofProcess) -> OpenOptions {
        var open = OpenOptions()
        open.application = to
        open.timeout = timeout?.duration
        open.id = id ?? RequestID.random().text
        open.parent = parent ?? surroundings.parent
        open.activationToken = surroundings.activationToken
        if let queueing {
            open.isQueued = queueing.queue
            open.requestTimeToLive = queueing.timeToLive?.duration
        }
        return open
    }
}

/// Options of the commands that can leave a request behind.
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

    /// As on a line without any of them.
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
