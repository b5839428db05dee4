package import IPCModel

/// The broker's store: pasteboards, requests and registrations, in one SQLite database in its own directory. Operations
/// are closures. They run one at a time on the store's thread, and many of them are flushed to disk together.
package final class Store: Sendable {
    package typealias Operation<Value> = @Sendable (borrowing StoreTransaction) throws -> Value
    /// Answers the caller of an operation. The argument is the group that contains the operation's writes.
    package typealias Reply = @Sendable (CommitGroup) -> Void

    package let directory: String
    package let report: OpeningReport
    package let statistics: StoreStatistics
    package let intake: ContentIntake
    private let queue: OperationQueue
    private let largeOperations: LargeOperations
    private let deletion: UnusedDeletion
    private let handOver: @Sendable ([@Sendable () -> Void]) -> Void
    private let lending: SessionLending
    private let whenIdle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    private let lifetime: StoreLifetime
    private let remover: WorkerThreads
    private let sweeping: Task<SweepReport, any Error>

    /// Opens the store in the configured directory, or creates it. Blocks until operations can run.
    /// - Throws: a `StoreError` if the store is in use, was written by a newer broker, or its directory is unsafe;
    ///   SQLite's error if the disk fails.
    package static func open(_ configuration: StoreConfiguration) throws -> Store {
        let opening = try StoreOpening(configuration)
        return try Store(opening, StoreLifetime(StoreLock(opening.directory, waits: configuration.waitsForLock)))
    }

    private init(_ opening: StoreOpening, _ lifetime: StoreLifetime) throws {
        let configuration = opening.configuration
        let (queue, statistics) = (OperationQueue(), StoreStatistics())
        let remover = WorkerThreads("blob-remover", limit: 1)
        let lending = SessionLending(queue, statistics)
        largeOperations = LargeOperations()
        deletion = UnusedDeletion(queue, largeOperations, on: configuration.executor)
        let thread = StoreThread(
            opening: opening, queue: queue, statistics: statistics, remover: remover, lending: lending,
            deletion: deletion, lifetime: lifetime)
        guard OwnThread.start("store", thread.run) else { throw StoreError.noThread }
        let opened = try lifetime.awaitStart()
        report = opened.report
        intake = ContentIntake(opened.folder, configuration.limits, remover: remover)
        (self.queue, self.statistics, self.lifetime, self.remover) = (queue, statistics, lifetime, remover)
        (directory, handOver) = (configuration.directory, configuration.handOver)
        (self.lending, whenIdle) = (lending, configuration.whenIdle)
        let sweep = OrphanSweep(
            folder: opened.folder, quarantine: opened.report.orphans, threads: remover)
        sweeping = Task.detached(executorPreference: configuration.executor) {
            try await sweep.run { keys in
                try await withUnsafeThrowingContinuation { continuation in
                    queue.add(
                        PendingOperation(resuming: continuation) {
                            try $0.session.files.putOrphansAside(keys, in: sweep.quarantine)
                        })
                }.value
            }
        }
    }

    /// Waits until the blobs that earlier operations released have been removed.
    package func removals() async throws { try await remover.run {} }

    /// Waits until the contents that earlier operations no longer use have been deleted.
    package func deletions() async { await deletion.ended() }

    /// Waits for the sweep that removes orphaned blobs after the store is opened. Throws if the store stops first.
    package func swept() async throws -> SweepReport { try await sweeping.value }

    deinit { queue.stop() }

    /// Runs an operation, and returns once its writes, and all writes that it could have read, are on disk. If the
    /// operation throws, its writes are undone.
    @discardableResult
    nonisolated(nonsending) package func commit<Value: Sendable>(
        _ body: @escaping Operation<Value>
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { add(PendingOperation(resuming: $0, body)) }.value
    }

    /// Like ``commit(_:)``, but a large write first waits for the earlier large operations.
    /// - Parameter isLarge: whether the operation writes or deletes much (``LargeOperations``).
    @discardableResult
    nonisolated(nonsending) package func commit<Value: Sendable>(
        isLarge: Bool, _ body: @escaping Operation<Value>
    ) async throws -> Value {
        isLarge ? try await largeOperations.write { try await commit(body) } : try await commit(body)
    }

    /// Like ``commit(_:)``, but an operation that reads much first waits for the earlier large operations.
    nonisolated(nonsending) package func commitLargeRead<Value: Sendable>(
        _ body: @escaping Operation<Value>
    ) async throws -> Value {
        try await largeOperations.read { try await commit(body) }
    }

    /// Like ``commit(isLarge:_:)``.
    /// - Parameter items: what the operation writes, besides a few small rows.
    @discardableResult
    nonisolated(nonsending) package func commit<Value: Sendable>(
        writing items: [PasteboardItem], _ body: @escaping Operation<Value>
    ) async throws -> Value {
        try await commit(isLarge: !items.areSmall, body)
    }

    /// Like ``commit(_:)``, but without a task: ``StoreConfiguration/handOver`` runs the closure that the operation
    /// returns, or `failed` if the operation throws.
    /// - Parameter board: the only pasteboard that the operation uses. If it is in memory and no other operation is
    ///   waiting, this operation may run on the caller's thread (``StoreConfiguration/whenIdle``).
    package func commit(
        about board: PasteboardName? = nil, _ body: @escaping Operation<Reply>,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        add(PendingOperation(body: body, failed: failed, board: board, handOver: handOver))
    }

    /// Runs an operation, and returns as soon as it has run. Its writes reach the disk with the next commit, or after
    /// ``StoreConfiguration/lingerMilliseconds`` at the latest. If the disk is full, the writes are lost, so a commit
    /// that depends on them must call ``StoreTransaction/require(_:)``.
    nonisolated(nonsending) package func stage<Value: Sendable>(
        _ body: @escaping Operation<Value>
    ) async throws -> Staged<Value> {
        try await withUnsafeThrowingContinuation { add(PendingOperation(resuming: $0, isStaged: true, body)) }
    }

    /// Like ``stage(_:)``, but waits as ``commit(writing:_:)`` does.
    nonisolated(nonsending) package func stage<Value: Sendable>(
        writing items: [PasteboardItem], _ body: @escaping Operation<Value>
    ) async throws -> Staged<Value> {
        items.areSmall ? try await stage(body) : try await largeOperations.write { try await stage(body) }
    }

    /// Like ``stage(_:)``, but without a task; the closures are as for ``commit(about:_:failed:)``.
    package func stage(_ body: @escaping Operation<Reply>, failed: @escaping @Sendable (any Error) -> Void) {
        add(PendingOperation(body: body, failed: failed, isStaged: true, handOver: handOver))
    }

    private func add(_ operation: PendingOperation) {
        guard operation.board != nil, let whenIdle else { return queue.add(operation) }
        switch queue.addForLending(operation) {
        case .refused: operation.fail(StoreError.unavailable)
        case .taken: break
        case .heldBack: whenIdle { [lending] in lending.run() }
        }
    }

    /// Runs the waiting operations, writes them to disk, empties the write-ahead log, and marks a clean stop.
    /// - Throws: the fault that stopped the store earlier.
    package func close() async throws {
        queue.stop()
        try await lifetime.end(after: remover)
    }
}
