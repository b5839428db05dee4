internal import Synchronization

/// Runs an operation in memory on its caller's thread while the store's thread sleeps, because two thread switches take
/// longer than the operation.
///
/// Only an operation that arrives alone runs here. If several arrive, the store's thread runs them in parallel with
/// their callers. If an operation turns out to need the file, it is undone, and the store's thread runs it.
///
/// `@unchecked` is safe: the session is used either by the store's thread or by the caller of
/// ``OperationQueue/lend()``.
final class SessionLending: @unchecked Sendable {
    private let queue: OperationQueue
    private let statistics: StoreStatistics
    private var session: StoreSession?

    init(_ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.queue, self.statistics) = (queue, statistics)
    }

    /// Called on the store's thread before it first sleeps, and with `nil` when it stops.
    func offer(_ session: StoreSession?) { self.session = session }

    /// Runs the only waiting operation, or wakes the store's thread.
    func run() {
        guard let operation = queue.lend() else { return }
        guard let session, let name = operation.board, session.boards.knownArea(of: name) == .volatile else {
            return queue.giveBack(operation)
        }
        do {
            session.transaction.keepsToMemory = true
            let finished = try session.transaction.database.lent {
                let finished = try operation.run(session)
                try session.commit()
                return finished
            }
            session.transaction.keepsToMemory = false
            statistics.ran()
            // From here on, the session belongs to the store's thread.
            queue.giveBack()
            operation.handOver?([finished.answer])
        } catch {
            session.transaction.keepsToMemory = false
            // Also after a fault, which the store's thread then encounters itself.
            undo(operation, session)
        }
    }

    private func undo(_ operation: PendingOperation, _ session: StoreSession) {
        do {
            try session.transaction.database.lent { try session.abandonGroup(hadStaged: false) }
            queue.giveBack(operation)
        } catch {
            operation.fail(StoreError.unavailable)
            queue.giveBack(after: error)
        }
    }
}
