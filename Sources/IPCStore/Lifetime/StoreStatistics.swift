internal import Synchronization

/// Counts since the store was opened.
package final class StoreStatistics: Sendable {
    package struct Snapshot: Sendable, Hashable {
        package var operations: UInt64 = 0
        /// Commits that wrote to the database file; each is flushed once.
        package var commits: UInt64 = 0
        package var checkpoints: UInt64 = 0
        /// The number of memory files that exist now. Each needs an open file descriptor.
        package var memoryFiles = 0
    }

    private let snapshotNow = Mutex(Snapshot())

    package var snapshot: Snapshot { snapshotNow.withLock { $0 } }

    func ran() { snapshotNow.withLock { $0.operations += 1 } }

    func keeps(memoryFiles count: Int) { snapshotNow.withLock { $0.memoryFiles = count } }

    func committed(_ log: WriteAheadLog) {
        snapshotNow.withLock { ($0.commits, $0.checkpoints) = (log.commits, log.checkpoints) }
    }
}
