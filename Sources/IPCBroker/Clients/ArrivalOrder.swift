internal import IPCDBus
internal import IPCModel
internal import IPCQueues

/// Keeps each caller's calls in order of arrival, even if a call waits for the bus, or for the store to take in files.
/// Also keeps the large writes of all callers in order.
@DBusActor
final class ArrivalOrder {
    enum Line: Hashable {
        case caller(BusName?)
        case largeWrites
    }

    /// The calls that are waiting for their turn. A line has an entry while one of its calls has the turn.
    private(set) var waiting: [Line: Queue<CheckedContinuation<Void, Never>>] = [:]
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
        try await inTurn(in: .caller(caller), prepare)
    }

    /// Waits until the earlier large writes of all callers are in the store, and then runs a large write. So the store's
    /// queue holds only one of them, and no other call waits behind several (I15).
    /// - Throws: `LimitExceeded` for `calls-in-turn`, before `write` has run; otherwise the error of `write`.
    func writeAlone<Ready: Sendable>(_ write: @DBusActor () async throws -> Ready) async throws -> Ready {
        try await inTurn(in: .largeWrites, write)
    }

    private func inTurn<Ready: Sendable>(
        in line: Line, _ body: @DBusActor () async throws -> Ready
    ) async throws -> Ready {
        if !takeTurn(in: line) { try await wait(in: line) }
        defer { endTurn(in: line) }
        return try await body()
    }

    /// Takes the turn of a line, unless another call has it. The dictionary entry is passed to an inner function, so that
    /// the caller's name is hashed only once.
    private func takeTurn(in line: Line) -> Bool {
        func take(_ queue: inout Queue<CheckedContinuation<Void, Never>>?) -> Bool {
            guard queue == nil else { return false }
            queue = Queue()
            return true
        }
        return take(&waiting[line])
    }

    private func wait(in line: Line) async throws(LimitExceeded) {
        try limits.checkShared(\.callsInTurn, use: count, ofCaller: waiting[line]?.count ?? 0)
        await withCheckedContinuation { continuation in
            // `withCheckedContinuation` may suspend first, so the previous turn may be over by now.
            guard !takeTurn(in: line) else { return continuation.resume() }
            count += 1
            waiting[line]?.append(continuation)
        }
    }

    private func endTurn(in line: Line) {
        func takeNext(_ queue: inout Queue<CheckedContinuation<Void, Never>>?) -> CheckedContinuation<Void, Never>? {
            let next = queue?.takeFirst()
            if next == nil { queue = nil }
            return next
        }
        guard let next = takeNext(&waiting[line]) else { return }
        count -= 1
        next.resume()
    }
}
