internal import IPCDBus
internal import IPCModel
internal import IPCQueues

/// Keeps the calls of one caller in the order of their arrival while some of them wait for the bus, or for files to be
/// taken in, before they can take effect.
@DBusActor
final class ArrivalOrder {
    /// The calls that wait behind the current one, by caller; nil for a caller without a current one.
    private(set) var waiting: [BusName?: Queue<CheckedContinuation<Void, Never>>] = [:]
    private var count = 0
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// Waits for the caller's turn, and prepares a call in it. Without an earlier call and without anything to wait for,
    /// this does not suspend.
    ///
    /// The next call's turn begins in a later job of the I/O thread. So what the task of this call does before it suspends
    /// again, such as the hand-over to the store, happens in the order of arrival.
    /// - Throws: `LimitExceeded` for `calls-in-turn`, before `prepare` has run; else its error.
    func inTurn<Ready: Sendable>(
        of caller: BusName?, prepare: @DBusActor () async throws -> Ready
    ) async throws -> Ready {
        if !takeTurn(of: caller) { try await wait(behind: caller) }
        defer { endTurn(of: caller) }
        return try await prepare()
    }

    /// Begins the caller's turn unless an earlier call has it. One access to the table: it hashes the name of the caller.
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
            // To enter this function may suspend, so the turn before this one may have ended.
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
