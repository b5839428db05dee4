internal import Synchronization

/// Runs an operation in memory on the thread of its caller while the store's thread sleeps, because two changes of
/// thread take longer than the operation.
///
/// Only an operation that comes alone runs here. If several come, the store's thread runs them beside their callers. If
/// the operation turns out to need the file, it is undone, and the store's thread runs it.
///
/// Unchecked: either the store's thread uses the session, or the caller of ``OperationQueue/lend()``.
final class SessionLending: @unchecked Sendable {
    private let queue: OperationQueue
    private let statistics: StoreStatistics
    private var session: StoreSession?

    init(_ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.queue, self.statistics) = (queue, statistics)
    }

    /// Called on the store's thread before it first sleeps, and with nil when it ends.
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
            // From here on the session belongs to the store's thread.
            queue.giveBack()
            operation.handOver?([finished.answer])
        } catch {
            session.transaction.keepsToMemory = false
            // After a fault too: the store's thread then meets it itself.
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
