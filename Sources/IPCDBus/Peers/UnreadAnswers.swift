/// The answers that a bus may still hold because their callers do not read.
///
/// A bus that stores such messages without a limit reports their size (`org.freedesktop.DBus.Debug.Stats`), and this
/// process limits them. A bus that does not report the size has limits of its own; there, a caller counts as reading
/// again once it answers a ping or the ping times out.
@DBusActor
final class UnreadAnswers {
    private struct Caller {
        var bytes = 0
        var isAsking = false
        let waiters = Waiters()
    }

    private weak var connection: Connection?
    private let isPresent: @DBusActor (BusName) -> Bool
    private let hasRead: @DBusActor (BusName) -> Void
    private var callers: [BusName: Caller] = [:]
    private var hasStatistics = true

    /// A caller with more unread bytes than this gets no more answers. On a bus without statistics, a blocked caller would
    /// wait longer, and the bus has its own limits. There it is the charge for one message with 16 descriptors.
    private var most: Int { hasStatistics ? 1 << 20 : 16 * Self.bytesOfDescriptor }
    /// Smaller answers do not count. On a bus without statistics, they are no reason to ping a caller.
    private var leastCounted: Int { hasStatistics ? 0 : 1 << 10 }
    private static let firstPause = Duration.milliseconds(2)
    private static let longestPause = Duration.milliseconds(250)
    private static let pingPatience = Duration.seconds(1)
    /// The number of bytes charged for a descriptor. It is high because a bus has few descriptors.
    private static let bytesOfDescriptor = 256 << 10

    /// - Parameter hasRead: called when a caller has read enough that its next call may begin.
    init(
        _ connection: Connection, isPresent: @escaping @DBusActor (BusName) -> Bool,
        hasRead: @escaping @DBusActor (BusName) -> Void
    ) {
        (self.connection, self.isPresent, self.hasRead) = (connection, isPresent, hasRead)
    }

    /// Whether a caller has many bytes left to read, as far as this process knows.
    func isBehind(_ caller: BusName) -> Bool { callers[caller].map { $0.bytes > most } ?? false }

    func sent(_ answer: Message, to caller: BusName) {
        let bytes = answer.byteCount + answer.descriptors.count * Self.bytesOfDescriptor
        guard bytes >= leastCounted, callers[caller] != nil || isPresent(caller) else { return }
        callers[caller, default: Caller()].bytes += bytes
        guard isBehind(caller), callers[caller]?.isAsking == false else { return }
        callers[caller]?.isAsking = true
        DBusActor.task { [weak self] in await self?.awaitReading(of: caller) }
    }

    /// Waits until a caller has read its answers or has left.
    func read(by caller: BusName) async {
        while isBehind(caller) {
            await callers[caller]?.waiters.wait { isBehind(caller) }
        }
    }

    func left(_ caller: BusName) {
        callers.removeValue(forKey: caller)?.waiters.resumeAll()
    }

    // MARK: Asking

    private func awaitReading(of caller: BusName) async {
        var pause = Self.firstPause
        while isBehind(caller) {
            // Answers that are sent from now on might be missing from the bus's statistics.
            let asked = callers[caller]?.bytes ?? 0
            let held = await heldByBus(for: caller)
            callers[caller]?.bytes += held - asked
            if isBehind(caller) {
                let timer = DBusTimer()
                await withCheckedContinuation { continuation in timer.set(at: .now + pause) { continuation.resume() } }
                pause = min(pause * 2, Self.longestPause)
            }
        }
        callers[caller]?.isAsking = false
        callers[caller]?.waiters.resumeAll()
        hasRead(caller)
    }

    /// The number of bytes that the bus holds for a caller. Without statistics, pings the caller and then returns 0.
    private func heldByBus(for caller: BusName) async -> Int {
        guard let connection else { return 0 }
        if hasStatistics {
            do throws(CallError) {
                let statistics = try await connection.call(
                    MessageBus.connectionStatistics, on: .bus, at: MessageBus.path, caller.text)
                if case .uint32(let bytes)? = statistics["OutgoingBytes"],
                    case .uint32(let descriptors)? = statistics["OutgoingFDs"]
                {
                    return Int(bytes) + Int(descriptors) * Self.bytesOfDescriptor
                }
            } catch {
                if error == .disconnected || error.isRemote(.nameHasNoOwner) { return 0 }
                // A bus that answers too late does provide statistics, so this is no reason to stop asking for them.
                if error == .timedOut { return callers[caller]?.bytes ?? 0 }
            }
            hasStatistics = false
        }
        _ = try? await connection.call(
            Peer.ping, on: caller, at: "/", (), timeout: Self.pingPatience, startsService: false)
        return 0
    }
}
