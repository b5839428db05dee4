internal import Glibc
internal import IPCDBus
internal import IPCInterface

/// The route of an application's calls: over the bus, or over a direct connection. Never both at a time.
///
/// A switch waits until the broker has all calls of the old route. If there is no direct connection (the broker knows
/// none, rejects one, or it is cut), all calls take the bus, and the next try is after a pause.
@DBusActor
final class Route {
    /// When a direct connection is opened.
    enum Policy {
        case never
        /// For a handler, and after some calls.
        case automatic
        /// Before the first call.
        case always

        /// `SWIFT_IPC_ROUTE` in the environment, else what suits the program.
        init(isLasting: Bool) {
            self =
                switch getenv("SWIFT_IPC_ROUTE").map({ String(cString: $0) }) {
                case "bus": .never
                case "direct": .always
                default: isLasting ? .automatic : .never
                }
        }
    }

    /// An application that has made this many calls stays, in all likelihood.
    private static let callsOfLasting = 16
    /// After a connection that was cut.
    private static let pauseAfterCut = Duration.seconds(1)
    /// After a try that failed; the next broker is asked at once.
    private static let pauseAfterFailure = Duration.seconds(30)

    private let bus: Connection
    private let policy: Policy
    private var isHandler = false
    private var calls = 0
    /// From which the broker may call: also before this side calls over it.
    private var opened: Connection?
    private var isInUse = false
    private var opening: Task<Void, any Error>?
    private var notBefore: ContinuousClock.Instant?
    private let timer = DBusTimer()
    /// Calls that wait for the switch.
    private let waiting = WaitingTasks<Void>()
    private var isSwitching = false
    private var isClosed = false

    init(bus: Connection, policy: Policy) {
        (self.bus, self.policy) = (bus, policy)
        guard policy != .never else { return }
        // Without its name on the bus, a connection has no owner.
        bus.onDisconnect { [weak self] in self?.opened?.drop() }
    }

    /// Whether a call came over the direct connection: from the broker, which gave it.
    func leads(to connection: Connection) -> Bool { connection === opened }

    /// The direct connection for the next call; `nil` for the bus.
    func direct() async -> Connection? {
        if isInUse, let opened, opened.isConnected { return opened }
        guard policy != .never, !isClosed else { return nil }
        calls += 1
        if policy == .always || isHandler || calls >= Self.callsOfLasting { begin() }
        if policy == .always { _ = try? await opening?.value }
        while isSwitching { await waiting.wait { isSwitching ? nil : () } }
        return isInUse && opened?.isConnected == true ? opened : nil
    }

    /// The application is a handler, and the broker knows it: its requests come by the shortest way from now on.
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
        do throws(DirectConnection.Refusal) {
            let connection = try await DirectConnection.open(for: bus, deliveries: true) { connection in
                opened = connection
                connection.onDisconnect { [weak self, weak connection, bus] in
                    // While something is being answered here its name must stay on the bus.
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

    /// The answer to a last call by the bus shows that the broker has all that were sent before.
    private func switchOver() async {
        isSwitching = true
        let answer: Void? = try? await bus.call(Peer.ping, on: Broker1.busName, at: "/", (), startsService: false)
        isInUse = answer != nil && opened?.isConnected == true
        isSwitching = false
        waiting.resumeAll(with: ())
    }

    /// A call over the direct connection was cut off: by the bus it is known sooner whether the broker is there.
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

    /// Waits until what was sent has left the process, then ends the direct connection.
    func close() async {
        isClosed = true
        timer.cancel()
        await opened?.closeAfterFlush()
        opened = nil
        isInUse = false
    }
}
