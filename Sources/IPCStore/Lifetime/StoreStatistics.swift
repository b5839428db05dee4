internal import Synchronization

/// What the store has done since it was opened.
package final class StoreStatistics: Sendable {
    /// The numbers at one moment.
    package struct Snapshot: Sendable, Hashable {
        /// Operations that ran.
        package var operations: UInt64 = 0
        /// Commits that wrote to the file; each waited for the disk once.
        package var commits: UInt64 = 0
        /// Times that the write-ahead log was brought into the database.
        package var checkpoints: UInt64 = 0
        /// Values in memory that are files, each with an open descriptor.
        package var memoryFiles = 0
    }

    private let snapshotNow = Mutex(Snapshot())

    /// The numbers at this moment.
    package var snapshot: Snapshot { snapshotNow.withLock { $0 } }

    func ran() {
        snapshotNow.withLock { $0.operations += 1 }
    }

    func keeps(memoryFiles count: Int) { snapshotNow.withLock { $0.memoryFiles = count } }

    func committed(_ log: WriteAheadLog) {
        snapshotNow.withLock { ($0.commits, $0.checkpoints) = (log.commits, log.checkpoints) }
    }
}
