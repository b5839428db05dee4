internal import IPCDBus
internal import IPCModel
internal import IPCQueues

/// Keeps the calls of one caller in order of arrival, while some of them wait for the bus or for the intake of files
/// before they can take effect.
@DBusActor
final class ArrivalOrder {
    /// The calls that wait behind the current one, by caller; `nil` for a caller without a current call.
    private(set) var waiting: [BusName?: Queue<CheckedContinuation<Void, Never>>] = [:]
    private var count = 0
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    /// Waits for the caller's turn, and prepares a call during that turn. This does not suspend if no earlier call is
    /// waiting and `prepare` does not suspend.
    ///
    /// The next call's turn starts in a later job of the I/O thread. So anything that the task of this call does before
    /// it suspends again, such as passing work to the store, happens in order of arrival.
    /// - Throws: `LimitExceeded` for `calls-in-turn`, before `prepare` has run; otherwise the error of `prepare`.
    func inTurn<Ready: Sendable>(
        of caller: BusName?, prepare: @DBusActor () async throws -> Ready
    ) async throws -> Ready {
        if !takeTurn(of: caller) { try await wait(behind: caller) }
        defer { endTurn(of: caller) }
        return try await prepare()
    }

    /// Starts the caller's turn unless an earlier call has it. One table access suffices, to hash the name only once.
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
