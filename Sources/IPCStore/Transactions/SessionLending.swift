internal import Synchronization

/// Runs an operation in memory where it was asked for, while the store's thread sleeps: two changes of thread take longer
/// than it does.
///
/// Only one that comes alone, so that many are still run by the thread beside those who ask; and only as long as it keeps
/// to what is in memory. One that turns out to need the file is taken back whole, and the thread runs it.
///
/// Unchecked: the session is used by the thread, or by who holds what ``OperationQueue/lend()`` gives, never by both.
final class SessionLending: @unchecked Sendable {
    private let queue: OperationQueue
    private let statistics: StoreStatistics
    private var session: StoreSession?

    init(_ queue: OperationQueue, _ statistics: StoreStatistics) {
        (self.queue, self.statistics) = (queue, statistics)
    }

    /// Called on the store's thread before it first sleeps, and with nil when it ends.
    func offer(_ session: StoreSession?) { self.session = session }

    /// Runs the operation that waits alone, or wakes the store's thread for what waits.
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
            let configuration = session.configuration
            statistics.ran()
            // From here on the session is the thread's.
            queue.giveBack()
            give(finished.answer, configuration)
        } catch {
            session.transaction.keepsToMemory = false
            // Also a fault, which the thread then meets itself.
            takeBack(session, operation)
        }
    }

    private func give(_ answer: Answer, _ configuration: StoreConfiguration) {
        switch answer {
        case .here(let answer): answer()
        case .elsewhere(let answer): configuration.handOver([answer])
        }
    }

    /// Takes back what the operation has written, and leaves it to the thread.
    private func takeBack(_ session: StoreSession, _ operation: any PendingOperation) {
        do {
            try session.transaction.database.lent { try session.abandonGroup(hadStaged: false) }
            queue.giveBack(operation)
        } catch {
            operation.fail(StoreError.unavailable)
            queue.giveBack(after: error)
        }
    }
}
