internal import GRDB

/// The broker's store: pasteboards, open requests and registrations, in one SQLite database in a directory of its own.
///
/// Operations are closures on a ``StoreTransaction``. They run one after the other on the store's own thread, and many
/// of them reach the disk together.
package final class Store: Sendable {
    /// The directory of the store.
    package let directory: String
    /// What was found at the start.
    package let report: OpeningReport
    /// What the store has done since it was opened.
    package let statistics: StoreStatistics
    private let queue: OperationQueue
    private let lifetime: StoreLifetime

    /// Opens the store of a directory, made where it is missing; returns when operations can be run.
    ///
    /// Blocks for the time of some reads and writes of the disk. A `StoreError` where it is in use, newer than this
    /// broker, or not a place for a store; SQLite's error where the disk fails.
    package static func open(_ configuration: StoreConfiguration) throws -> Store {
        let opening = try StoreOpening(configuration)
        do {
            return try Store(configuration, opening.lock, opening.openDatabase())
        } catch let error where error.isDamage {
            return try Store(configuration, opening.lock, opening.replaceDatabase(after: error))
        }
    }

    private init(
        _ configuration: StoreConfiguration, _ lock: StoreLock, _ opened: (DatabaseQueue, OpeningReport)
    ) throws {
        let (database, report) = opened
        let (queue, statistics) = (OperationQueue(), StoreStatistics())
        let lifetime = StoreLifetime(database, lock)
        (self.queue, self.statistics, self.report, self.lifetime) = (queue, statistics, report, lifetime)
        directory = configuration.directory
        database.asyncWriteWithoutTransaction { database in
            Self.live(database, configuration, queue, statistics, lifetime)
        }
        try lifetime.awaitStart()
    }

    deinit {
        queue.stop()
    }

    /// Runs an operation, and returns when everything that it wrote, and everything that it could have read, is on the
    /// disk. What the operation throws undoes what it wrote.
    @discardableResult
    nonisolated(nonsending) package func commit<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await run(staged: false, body).value
    }

    /// Runs an operation, and returns as soon as it has run. What it wrote reaches the disk with the next commit, or by
    /// itself within ``StoreConfiguration/lingerMilliseconds``; it is lost where the disk is full, and a commit that
    /// rests on it learns that by ``StoreTransaction/require(_:)``.
    nonisolated(nonsending) package func stage<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Staged<Value> {
        try await run(staged: true, body)
    }

    /// Ends the store: what is there is run and brought to the disk, the write-ahead log is emptied, and the stop is
    /// marked as one in good order. Throws the fault that came in between, if one did.
    package func close() async throws {
        queue.stop()
        try await lifetime.end()
    }

    nonisolated(nonsending) private func run<Value: Sendable>(
        staged: Bool, _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Staged<Value> {
        try await withUnsafeThrowingContinuation { continuation in
            let operation = AwaitedOperation(isStaged: staged, body: body, continuation: continuation)
            if !queue.add(operation) { operation.fail(StoreError.unavailable) }
        }
    }

    /// The whole life of the store's thread.
    private static func live(
        _ database: Database, _ configuration: StoreConfiguration, _ queue: OperationQueue,
        _ statistics: StoreStatistics, _ lifetime: StoreLifetime
    ) {
        let session: StoreSession
        do {
            session = try StoreSession(database, configuration)
        } catch {
            return lifetime.failedToStart(error)
        }
        statistics.committed(session.log)
        lifetime.started()
        do {
            var group = GroupCommit(session, queue, statistics)
            try group.work()
            try session.end()
            lifetime.ended(nil)
        } catch {
            queue.stop()
            for operation in queue.takeAll() { operation.fail(StoreError.unavailable) }
            configuration.onFault(error)
            lifetime.ended(error)
        }
    }
}
