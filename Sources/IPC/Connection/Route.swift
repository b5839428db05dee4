internal import Glibc
internal import IPCDBus
internal import IPCInterface

/// Selects the route of an application's calls: over the bus or over a direct connection, but never both at once. A
/// switch waits until the broker has received all calls on the old route. If a direct connection is unavailable,
/// rejected or lost, all calls use the bus until another attempt after a pause.
@DBusActor
final class Route {
    /// When to open a direct connection.
    enum Policy {
        case never
        /// Open a direct connection when the application becomes a handler, or has made ``callsOfLasting`` calls.
        case automatic
        /// Open a direct connection before the first call.
        case always

        init(isLasting: Bool) {
            self =
                switch getenv("SWIFT_IPC_ROUTE").map({ String(cString: $0) }) {
                case "bus": .never
                case "direct": .always
                default: isLasting ? .automatic : .never
                }
        }
    }

    /// The number of calls after which a direct connection is opened, because more calls are likely.
    private static let callsOfLasting = 16
    private static let pauseAfterCut = Duration.seconds(1)
    /// The pause after a failed attempt to open a direct connection, cut short when the application becomes a handler.
    private static let pauseAfterFailure = Duration.seconds(30)

    private let bus: Connection
    private let policy: Policy
    private var isHandler = false
    private var calls = 0
    /// The direct connection. The broker may make calls over it before this application does.
    private var opened: Connection?
    private var isInUse = false
    private var opening: Task<Void, any Error>?
    private var notBefore: ContinuousClock.Instant?
    private let timer = DBusTimer()
    private let waiting = WaitingTasks<Void>()
    private var isSwitching = false
    private var isClosed = false

    init(bus: Connection, policy: Policy) {
        (self.bus, self.policy) = (bus, policy)
        guard policy != .never else { return }
        // The broker identifies a direct connection by the application's name on the bus, which is lost with the bus.
        bus.onDisconnect { [weak self] in self?.opened?.drop() }
    }

    /// Whether a connection is the direct one. Calls that arrive over it can only come from the broker.
    func leads(to connection: Connection) -> Bool { connection === opened }

    /// The direct connection that is in use; `nil` if there is none. This opens none.
    var current: Connection? { isInUse && opened?.isConnected == true ? opened : nil }

    /// The direct connection for the next call; `nil` to use the bus.
    func direct() async -> Connection? {
        if let current { return current }
        guard policy != .never, !isClosed else { return nil }
        calls += 1
        if policy == .always || isHandler || calls >= Self.callsOfLasting { begin() }
        if policy == .always { _ = try? await opening?.value }
        while isSwitching { await waiting.wait { isSwitching ? nil : () } }
        return current
    }

    /// Opens a direct connection, because the application has become a handler.
    func handles() {
        isHandler = true
        notBefore = nil
        begin()
    }

    private func begin() {
        guard policy != .never, !isClosed, opening == nil, opened == nil, bus.isConnected, bus.passesDescriptors
        else { return }
        if let notBefore, ContinuousClock.now < notBefore { return }
        opening = DBusActor.task { [weak self] in
            await self?.open()
            self?.opening = nil
        }
    }

    private func open() async {
        do {
            let connection = try await DirectConnection.open(for: bus) { connection in
                opened = connection
                connection.onDisconnect { [weak self, weak connection, bus] in
                    // Keep the bus connection and its name while requests can be answered over the direct one.
                    withExtendedLifetime(bus) { self?.lost(connection) }
                }
            }
            guard !isClosed, connection.isConnected else {
                opened = nil
                return connection.close()
            }
            await switchOver()
        } catch {
            opened = nil
            notBefore = .now + Self.pauseAfterFailure
        }
    }

    /// Switches to the direct connection after a last bus call, whose answer shows that all earlier calls arrived.
    private func switchOver() async {
        isSwitching = true
        let answer: Void? = try? await bus.call(Peer.ping, on: Broker1.busName, at: "/", (), startsService: false)
        isInUse = answer != nil && opened?.isConnected == true
        isSwitching = false
        waiting.resumeAll(with: ())
    }

    /// Drops the direct connection after it lost an answer, so that a repeated call uses the bus, where the call fails
    /// sooner if there is no broker.
    func cutOff() { opened?.drop() }

    private func lost(_ connection: Connection?) {
        guard connection === opened else { return }
        opened = nil
        isInUse = false
        calls = 0
        notBefore = .now + Self.pauseAfterCut
        guard isHandler, !isClosed else { return }
        timer.set(at: .now + Self.pauseAfterCut) { [weak self] in self?.begin() }
    }

    func close() async {
        isClosed = true
        timer.cancel()
        await opened?.closeAfterFlush()
        opened = nil
        isInUse = false
    }
}
