internal import IPCDBus
internal import IPCModel
internal import IPCQueues

/// Keeps each caller's calls in order of arrival, even if a call waits for the bus, or for the store to take in files.
@DBusActor
final class ArrivalOrder {
    /// The calls that are waiting for their turn, by caller. A caller has an entry while one of its calls has the turn.
    private(set) var waiting: [BusName?: Queue<CheckedContinuation<Void, Never>>] = [:]
    private var count = 0
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// Waits until the caller's earlier calls have had their turns, and then runs `prepare` as the turn of this call.
    /// If there are no earlier calls and `prepare` does not suspend, this does not suspend either. The next call's turn
    /// starts in a later job of the I/O thread. So anything that this call's task does after `inTurn` and before it
    /// suspends, such as passing work to the store, happens in order of arrival.
    /// - Throws: `LimitExceeded` for `calls-in-turn`, before `prepare` has run; otherwise the error of `prepare`.
    func inTurn<Ready: Sendable>(
        of caller: BusName?, prepare: @DBusActor () async throws -> Ready
    ) async throws -> Ready {
        if !takeTurn(of: caller) { try await wait(behind: caller) }
        defer { endTurn(of: caller) }
        return try await prepare()
    }

    /// Takes the caller's turn, unless another of its calls has it. The dictionary entry is passed to an inner
    /// function, so that the caller's name is hashed only once.
    private func takeTurn(of caller: BusName?) -> Bool {
        func take(_ queue: inout Queue<CheckedContinuation<Void, Never>>?) -> Bool {
            guard queue == nil else { return false }
            queue = Queue()
            return true
        }
        return take(&waiting[caller])
    }

    private func wait(behind caller: BusName?) async throws(LimitExceeded) {
        try limits.checkShared(\.callsInTurn, use: count, ofCaller: waiting[caller]?.count ?? 0)
        await withCheckedContinuation { continuation in
            // `withCheckedContinuation` may suspend first, so the previous turn may be over by now.
            guard !takeTurn(of: caller) else { return continuation.resume() }
            count += 1
            waiting[caller]?.append(continuation)
        }
    }

    private func endTurn(of caller: BusName?) {
        func takeNext(_ queue: inout Queue<CheckedContinuation<Void, Never>>?) -> CheckedContinuation<Void, Never>? {
            let next = queue?.takeFirst()
            if next == nil { queue = nil }
            return next
        }
        guard let next = takeNext(&waiting[caller]) else { return }
        count -= 1
        next.resume()
    }
}
