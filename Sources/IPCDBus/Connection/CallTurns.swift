internal import IPCQueues

/// Lets callers take turns, so that a caller with many calls delays only itself (I15).
///
/// Only a few calls of one caller, with few bytes, are in progress at a time. Its later calls wait here, in order, as do
/// the calls of a caller that does not read its answers. A call is in progress until it is answered, or until it waits
/// for another program (``IncomingCall/endTurn()``).
///
/// A long message takes long to read. Between two of them, the sockets are polled, so that short calls get through.
@DBusActor
package final class CallTurns {
    enum Caller: Hashable {
        /// A caller on a bus.
        case name(BusName)
        /// The incoming calls of a peer.
        case peer(ObjectIdentifier)
    }

    /// What a call in progress uses of its caller's share.
    struct Turn {
        let caller: Caller
        /// The size of the message.
        let bytes: Int

        fileprivate var isLong: Bool { bytes >= CallTurns.leastLong }
    }

    /// A call that has not begun.
    struct Waiting {
        let turn: Turn
        /// Whether the caller wants an answer.
        let expectsReply: Bool
        /// Whether the caller has read enough of its earlier answers.
        let mayBegin: @DBusActor () -> Bool
        let begin: @DBusActor () -> Void
    }

    private struct State {
        /// The number of calls in progress, and the size of their messages.
        private(set) var (inProgress, bytes) = (0, 0)
        var waiting = Queue<Waiting>()
        /// Whether the caller is in ``CallTurns/turns``.
        var hasTurn = false

        mutating func begin(_ turn: Turn) {
            inProgress += 1
            bytes += turn.bytes
        }

        mutating func end(_ turn: Turn) {
            inProgress -= 1
            bytes -= turn.bytes
        }
    }

    /// The maximum number of calls of one caller that are in progress. By default, it is not limited.
    package var mostTogether = Int.max
    /// The maximum size of their messages, unless a single call is larger. By default, it is not limited.
    package var mostBytesTogether = Int.max
    /// The maximum number of waiting calls that begin before the sockets are polled again, because the calls of others
    /// may still be in a socket, behind those of a caller that floods the bus.
    private static let mostBegunTogether = 4
    fileprivate nonisolated static let leastLong = 16 << 10

    private var callers: [Caller: State] = [:]
    /// The callers whose next call may begin.
    private var turns = Queue<Caller>()
    private let timer = DBusTimer()
    /// Whether a long call has begun since the sockets were polled.
    private var hasBegunLong = false

    /// The number of waiting calls of all callers.
    private(set) var waitingCount = 0

    /// Counts a new call as in progress, unless it has to wait for its caller's earlier calls.
    /// - Returns: whether the call begins. If so, its end must be reported with ``ended(_:)``.
    func begins(_ turn: Turn, mayBegin: Bool) -> Bool {
        func begins(_ state: inout State) -> Bool {
            guard mayBegin, state.waiting.isEmpty, hasRoom(state.inProgress, state.bytes, for: turn),
                !turn.isLong || !hasBegunLong
            else { return false }
            state.begin(turn)
            noteBegun(turn)
            return true
        }
        return begins(&callers[turn.caller, default: State()])
    }

    private func noteBegun(_ turn: Turn) {
        guard turn.isLong else { return }
        hasBegunLong = true
        proceedAfterPoll()
    }

    private func hasRoom(_ inProgress: Int, _ bytes: Int, for turn: Turn) -> Bool {
        inProgress == 0 || inProgress < mostTogether && bytes <= mostBytesTogether - turn.bytes
    }

    /// Begins a call after the calls of its caller that wait already.
    func hold(_ call: Waiting) {
        callers[call.turn.caller, default: State()].waiting.append(call)
        waitingCount += 1
        // It may wait only for the sockets to be polled.
        proceed(call.turn.caller)
    }

    /// Notes that a call is no longer in progress.
    func ended(_ turn: Turn) {
        callers[turn.caller]?.end(turn)
        proceed(turn.caller)
    }

    /// Begins a caller's next call, if there is one, soon. Call this when the caller has read answers.
    func proceed(_ caller: Caller) {
        func isNext(_ state: inout State?) -> Bool {
            guard let inProgress = state?.inProgress, let bytes = state?.bytes else { return false }
            guard let next = state?.waiting.next else {
                if inProgress == 0 { state = nil }
                return false
            }
            guard state?.hasTurn == false, hasRoom(inProgress, bytes, for: next.turn) else { return false }
            state?.hasTurn = true
            return true
        }
        guard isNext(&callers[caller]) else { return }
        turns.append(caller)
        proceedAfterPoll()
    }

    /// Drops the waiting calls of a caller that has left, except those without an answer: their effect is still wanted.
    func left(_ caller: Caller) {
        guard let waiting = callers[caller]?.waiting else { return }
        var kept = Queue<Waiting>()
        for place in 0..<waiting.count where !waiting[place].expectsReply { kept.append(waiting[place]) }
        waitingCount -= waiting.count - kept.count
        callers[caller]?.waiting = kept
        proceed(caller)
    }

    /// Waits for the sockets to be polled, so that calls of other callers arrive in between.
    private func proceedAfterPoll() {
        guard !timer.isSet else { return }
        timer.set(at: .now) { [weak self] in self?.beginSome() }
    }

    private func beginSome() {
        hasBegunLong = false
        for _ in 0..<Self.mostBegunTogether where !hasBegunLong {
            guard let caller = turns.takeFirst() else { return }
            guard let next = takeNext(of: caller) else { continue }
            next.begin()
            proceed(caller)
        }
        if !turns.isEmpty { proceedAfterPoll() }
    }

    /// Takes a caller's next call if it may begin. The dictionary entry is changed in place, so that the queue is not
    /// copied.
    private func takeNext(of caller: Caller) -> Waiting? {
        func take(_ state: inout State?) -> Waiting? {
            state?.hasTurn = false
            guard state?.waiting.next?.mayBegin() == true, let next = state?.waiting.takeFirst() else { return nil }
            state?.begin(next.turn)
            noteBegun(next.turn)
            return next
        }
        guard let next = take(&callers[caller]) else { return nil }
        waitingCount -= 1
        return next
    }
}
