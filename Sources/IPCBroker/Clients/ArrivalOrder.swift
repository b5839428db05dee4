internal import IPCDBus
internal import IPCModel

/// Keeps the calls of one caller in the order of their arrival while some of them must wait for something before they
/// can take effect.
@DBusActor
final class ArrivalOrder {
    private var waiting: [BusName?: Line<CheckedContinuation<Void, Never>>] = [:]
    private var count = 0
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    func isOccupied(_ caller: BusName?) -> Bool { waiting[caller] != nil }

    /// Waits for the caller's turn.
    /// - Throws: `LimitExceeded` for `calls-in-turn`; then it is as if the call had not come.
    func turn(of caller: BusName?) async throws(LimitExceeded) -> CallerTurn {
        guard let line = waiting[caller] else {
            waiting[caller] = Line()
            return CallerTurn(self, caller)
        }
        try limits.checkShared(\.callsInTurn, use: count, ofCaller: line.count)
        count += 1
        await withCheckedContinuation { waiting[caller]?.append($0) }
        return CallerTurn(self, caller)
    }

    fileprivate func leave(_ caller: BusName?) {
        guard let next = waiting[caller]?.takeFirst() else {
            waiting[caller] = nil
            return
        }
        count -= 1
        next.resume()
    }

    /// Does what a call asks for in its turn: at once where it is ready and no earlier call of the caller waits, else
    /// when it is its turn and it has been made ready. The next call's turn comes as soon as this one has begun, not
    /// when it is done: what is begun in order reaches the store in order.
    /// - Parameters:
    ///   - ready: what is needed to begin, where nothing must be waited for; `nil` where something must.
    ///   - prepare: waits for it.
    ///   - perform: the call's work.
    func inTurn<Ready: Sendable, Result: Sendable>(
        of caller: BusName?, ready: @DBusActor () throws -> Ready?, prepare: @DBusActor () async throws -> Ready,
        perform: @escaping @DBusActor (Ready) async throws -> Result
    ) async throws -> Result {
        if !isOccupied(caller), let ready = try ready() { return try await perform(ready) }
        let turn = try await turn(of: caller)
        defer { turn.end() }
        let ready = try await prepare()
        let work = DBusActor.task { try await perform(ready) }
        turn.end()
        return try await work.value
    }
}

/// The turn of one call among those of its caller; the next one's comes when it ends.
@DBusActor
final class CallerTurn {
    private var order: ArrivalOrder?
    private let caller: BusName?

    fileprivate init(_ order: ArrivalOrder, _ caller: BusName?) { (self.order, self.caller) = (order, caller) }

    isolated deinit { end() }

    /// Ends it, once.
    func end() {
        order?.leave(caller)
        order = nil
    }
}
