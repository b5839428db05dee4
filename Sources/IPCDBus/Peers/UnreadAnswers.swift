/// The answers that a bus may still hold because their callers do not read.
///
/// A bus stores such messages without a bound, so their sender has to bound them. The bus reports the bytes that it stores for
/// a connection (`org.freedesktop.DBus.Debug.Stats`). A bus without this interface has bounds; there a caller counts as
/// reading again when it answers a ping, or after some time.
@DBusActor
final class UnreadAnswers {
    private struct Caller {
        var bytes = 0
        var isAsking = false
        var held = Queue<Message>()
        let waiters = Waiters()
    }

    private weak var connection: Connection?
    private let isPresent: @DBusActor (BusName) -> Bool
    private let begin: @DBusActor (Message) -> Void
    private var callers: [BusName: Caller] = [:]
    private var hasStatistics = true

    /// The bytes beyond which a caller gets no more. A bus without statistics costs a caller more time, and bounds what it
    /// holds, so there it is as much as the descriptors of one message.
    private var most: Int { hasStatistics ? 1 << 20 : 16 * Self.bytesOfDescriptor }
    /// The answers that count: smaller ones are little more than their calls, which the bus holds as well.
    private static let leastCounted = 1 << 10
    /// The calls of a caller that wait until it has read.
    private static let mostHeld = 16_384
    private static let mostBegunTogether = 64
    private static let firstPause = Duration.milliseconds(2)
    private static let longestPause = Duration.milliseconds(250)
    private static let pingPatience = Duration.seconds(1)
    /// The bytes that a descriptor counts as: a bus has few descriptors.
    private static let bytesOfDescriptor = 256 << 10

    /// - Parameters:
    ///   - isPresent: whether a caller is on the bus.
    ///   - begin: begins a call that was held.
    init(
        _ connection: Connection, isPresent: @escaping @DBusActor (BusName) -> Bool,
        begin: @escaping @DBusActor (Message) -> Void
    ) {
        (self.connection, self.isPresent, self.begin) = (connection, isPresent, begin)
    }

    /// Whether a caller has been sent much that it has not read, as far as is known.
    func isBehind(_ caller: BusName) -> Bool { callers[caller].map { $0.bytes > most } ?? false }

    /// Counts an answer that was sent.
    func sent(_ answer: Message, to caller: BusName) {
        let bytes = answer.bytes.count + answer.descriptors.count * Self.bytesOfDescriptor
        guard bytes >= Self.leastCounted, callers[caller] != nil || isPresent(caller) else { return }
        callers[caller, default: Caller()].bytes += bytes
        guard isBehind(caller), callers[caller]?.isAsking == false else { return }
        callers[caller]?.isAsking = true
        DBusActor.task { [weak self] in await self?.awaitReading(of: caller) }
    }

    /// Waits until a caller has read, or has left.
    func read(by caller: BusName) async {
        while isBehind(caller) {
            await callers[caller]?.waiters.wait { isBehind(caller) }
        }
    }

    /// Keeps a call until its caller has read.
    /// - Returns: whether the call is kept; otherwise it may begin.
    /// - Throws: ``CallRefusal`` if too many wait.
    func holds(_ call: Message, of caller: BusName) throws(CallRefusal) -> Bool {
        guard let state = callers[caller], state.bytes > most || !state.held.isEmpty else { return false }
        guard state.held.count < Self.mostHeld else { throw .tooManyCalls(Self.mostHeld) }
        callers[caller]?.held.append(call)
        return true
    }

    /// Forgets a caller that has left the bus.
    func left(_ caller: BusName) {
        callers.removeValue(forKey: caller)?.waiters.resumeAll()
    }

    // MARK: Asking

    private func awaitReading(of caller: BusName) async {
        var pause = Self.firstPause
        while isBehind(caller) {
            // The answers that are sent after the question are not in its answer.
            let asked = callers[caller]?.bytes ?? 0
            let held = await heldByBus(for: caller)
            callers[caller]?.bytes += held - asked
            if isBehind(caller) {
                let timer = DBusTimer()
                await withCheckedContinuation { continuation in timer.set(at: .now + pause) { continuation.resume() } }
                pause = min(pause * 2, Self.longestPause)
            } else {
                await goOn(caller)
            }
        }
        callers[caller]?.isAsking = false
    }

    /// Lets begin what has waited, some at a time: their answers may be large in turn.
    private func goOn(_ caller: BusName) async {
        callers[caller]?.waiters.resumeAll()
        while true {
            for _ in 0..<Self.mostBegunTogether {
                guard !isBehind(caller), let call = callers[caller]?.held.takeFirst() else { return }
                begin(call)
            }
            await withCheckedContinuation { continuation in DBusActor.whenIdle { continuation.resume() } }
        }
    }

    /// The bytes that the bus holds for a caller.
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
                // A bus that answers late has statistics all the same.
                if error == .timedOut { return callers[caller]?.bytes ?? 0 }
            }
            hasStatistics = false
        }
        _ = try? await connection.call(
            Peer.ping, on: caller, at: "/", (), timeout: Self.pingPatience, startsService: false)
        return 0
    }
}
