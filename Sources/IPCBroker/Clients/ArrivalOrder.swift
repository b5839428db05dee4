internal import IPCDBus
internal import IPCModel

/// Keeps the calls of one caller in the order of their arrival while some of them wait for the bus, or for files to be
/// taken in, before they can take effect.
@DBusActor
final class ArrivalOrder {
    /// The calls that wait behind the current one, by caller.
    private var waiting: [BusName?: Queue<CheckedContinuation<Void, Never>>] = [:]
    private var count = 0
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// Whether it is the turn of a call of this caller.
    func isOccupied(_ caller: BusName?) -> Bool { waiting[caller] != nil }

    /// Waits for the caller's turn, prepares a call in it, and then performs the call. Without an earlier call and
    /// without anything to wait for, the call is performed before the first suspension.
    ///
    /// The next call's turn begins in a later job of the I/O thread. So what `perform` does before its first suspension,
    /// such as the hand-over to the store, happens in the order of arrival, and no call waits for the end of `perform`.
    /// - Throws: `LimitExceeded` for `calls-in-turn`, before `prepare` has run; else the errors of the closures.
    func inTurn<Ready: Sendable, Result: Sendable>(
        of caller: BusName?, prepare: @DBusActor () async throws -> Ready,
        perform: @DBusActor (Ready) async throws -> Result
    ) async throws -> Result {
        if isOccupied(caller) { try await wait(behind: caller) } else { waiting[caller] = Queue() }
        let ready: Ready
        do { ready = try await prepare() } catch {
            endTurn(of: caller)
            throw error
        }
        endTurn(of: caller)
        return try await perform(ready)
    }

    private func wait(behind caller: BusName?) async throws(LimitExceeded) {
        try limits.checkShared(\.callsInTurn, use: count, ofCaller: waiting[caller]?.count ?? 0)
        await withCheckedContinuation { continuation in
            // The call of this function may have suspended, and the turn before this one may have ended.
            guard isOccupied(caller) else {
                waiting[caller] = Queue()
                return continuation.resume()
            }
            count += 1
            waiting[caller]?.append(continuation)
        }
    }

    private func endTurn(of caller: BusName?) {
        guard let next = waiting[caller]?.takeFirst() else {
            waiting[caller] = nil
            return
        }
        count -= 1
        next.resume()
    }
}
