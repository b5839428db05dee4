internal import Synchronization

/// Runs an operation on a pasteboard in memory on the caller's thread while the store's thread sleeps, because two
/// thread switches take longer than the operation. If several operations arrive, the store's thread runs them while
/// their callers continue. An operation that needs the file is undone, and the store's thread runs it. `@unchecked` is
/// safe: at any time, only the store's thread or the caller of ``OperationQueue/lend()`` uses the session.
final class SessionLending: @unchecked Sendable {
    private let queue: OperationQueue
    private let statistics: StoreStatistics
    private var session: StoreSession?

    init(_ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.queue, self.statistics) = (queue, statistics)
    }

    /// Makes the session available. Called on the store's thread before it first sleeps, and with `nil` when it stops.
    func offer(_ session: StoreSession?) { self.session = session }

    /// Runs the only waiting operation on this thread, or wakes the store's thread to run what is waiting.
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
            // Undoes the operation even after a fault, which the store's thread meets again when it runs the operation.
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
