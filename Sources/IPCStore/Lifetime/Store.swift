package import IPCModel

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
    /// The way of large values into the store.
    package let intake: ContentIntake
    private let queue: OperationQueue
    private let handOver: @Sendable ([@Sendable () -> Void]) -> Void
    private let lending: SessionLending
    private let whenIdle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    private let lifetime: StoreLifetime
    private let remover: WorkerThreads
    private let sweeping: Task<SweepReport, any Error>

    /// Opens the store of a directory, made where it is missing; returns when operations can be run.
    ///
    /// Blocks for the time of some reads and writes of the disk. A `StoreError` where it is in use, newer than this
    /// broker, or not a place for a store; SQLite's error where the disk fails.
    package static func open(_ configuration: StoreConfiguration) throws -> Store {
        let opening = try StoreOpening(configuration)
        return try Store(opening, StoreLifetime(StoreLock(opening.directory)))
    }

    private init(_ opening: StoreOpening, _ lifetime: StoreLifetime) throws {
        let configuration = opening.configuration
        let (queue, statistics) = (OperationQueue(), StoreStatistics())
        let remover = WorkerThreads("blob-remover", limit: 1)
        let lending = SessionLending(queue, statistics)
        let thread = StoreThread(
            opening: opening, queue: queue, statistics: statistics, remover: remover, lending: lending,
            lifetime: lifetime)
        guard OwnThread.start("store", thread.run) else { throw StoreError.noThread }
        let opened = try lifetime.awaitStart()
        report = opened.report
        intake = ContentIntake(opened.folder, configuration.limits, remover: remover)
        (self.queue, self.statistics, self.lifetime, self.remover) = (queue, statistics, lifetime, remover)
        (directory, handOver) = (configuration.directory, configuration.handOver)
        (self.lending, whenIdle) = (lending, configuration.whenIdle)
        sweeping = Self.sweep(opened.folder, opened.report, remover, queue, on: configuration.executor)
    }

    /// Removes what a crash has left behind among the blobs.
    private static func sweep(
        _ folder: BlobFolder, _ report: OpeningReport, _ threads: WorkerThreads, _ queue: OperationQueue,
        on executor: (any TaskExecutor)?
    ) -> Task<SweepReport, any Error> {
        let sweep = OrphanSweep(folder: folder, quarantine: report.quarantine.map { $0 + "-blobs" }, threads: threads)
        return Task.detached(executorPreference: executor) {
            try await sweep.run { keys in
                try await run(on: queue, staged: false) {
                    try $0.session.files.putOrphansAside(keys, in: sweep.quarantine)
                }.value
            }
        }
    }

    /// Waits until the blobs are gone that earlier operations have let go of.
    package func removals() async throws { try await remover.run {} }

    /// What the look through the blobs after the start has found; waits for its end. An error where the store ended
    /// before.
    package func swept() async throws -> SweepReport { try await sweeping.value }

    deinit {
        queue.stop()
    }

    /// Runs an operation, and returns when everything that it wrote, and everything that it could have read, is on the
    /// disk. What the operation throws undoes what it wrote.
    @discardableResult
    nonisolated(nonsending) package func commit<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await Self.run(on: queue, staged: false, body).value
    }

    /// Runs an operation, and returns as soon as it has run. What it wrote reaches the disk with the next commit, or by
    /// itself within ``StoreConfiguration/lingerMilliseconds``; it is lost where the disk is full, and a commit that
    /// rests on it learns that by ``StoreTransaction/require(_:)``.
    nonisolated(nonsending) package func stage<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Staged<Value> {
        try await Self.run(on: queue, staged: true, body)
    }

    /// The same as ``commit(_:)``, with the result given to a closure, where ``StoreConfiguration/handOver`` runs it.
    package func commit<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value,
        then: @escaping @Sendable (Result<Staged<Value>, any Error>) -> Void
    ) {
        Self.add(
            AnsweredOperation(isStaged: false, body: body, receiver: .closure(then), handOver: handOver), to: queue)
    }

    /// The same for an operation on one pasteboard and nothing else, or nil for any other one.
    nonisolated(nonsending) package func commit<Value: Sendable>(
        about board: PasteboardName?, _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            lend(
                AnsweredOperation(
                    isStaged: false, board: board, body: body, receiver: .task(continuation), handOver: { _ in }))
        }.value
    }

    /// The same for an operation on one pasteboard and nothing else; nil for any other one. It may run at once, where
    /// ``StoreConfiguration/whenIdle`` says, if that is a pasteboard in memory and nothing else is to be done.
    package func commit<Value: Sendable>(
        about board: PasteboardName?, _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value,
        then: @escaping @Sendable (Result<Staged<Value>, any Error>) -> Void
    ) {
        lend(
            AnsweredOperation(
                isStaged: false, board: board, body: body, receiver: .closure(then), handOver: handOver))
    }

    /// Adds an operation that may run in the place of the store's thread if it is about one pasteboard.
    private func lend(_ operation: some PendingOperation) {
        guard operation.board != nil, let whenIdle else { return Self.add(operation, to: queue) }
        switch queue.addForLending(operation) {
        case .refused: operation.fail(StoreError.unavailable)
        case .taken: break
        case .heldBack: whenIdle { [lending] in lending.run() }
        }
    }

    /// The same as ``stage(_:)``, with the result given to a closure, where ``StoreConfiguration/handOver`` runs it.
    package func stage<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value,
        then: @escaping @Sendable (Result<Staged<Value>, any Error>) -> Void
    ) {
        Self.add(AnsweredOperation(isStaged: true, body: body, receiver: .closure(then), handOver: handOver), to: queue)
    }

    /// Ends the store: what is there is run and brought to the disk, the write-ahead log is emptied, and the stop is
    /// marked as one in good order. Throws the fault that came in between, if one did.
    package func close() async throws {
        queue.stop()
        try await lifetime.end(after: remover)
    }

    nonisolated(nonsending) private static func run<Value: Sendable>(
        on queue: OperationQueue, staged: Bool, _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws -> Staged<Value> {
        try await withUnsafeThrowingContinuation { continuation in
            add(
                AnsweredOperation(isStaged: staged, body: body, receiver: .task(continuation), handOver: { _ in }),
                to: queue)
        }
    }

    private static func add(_ operation: some PendingOperation, to queue: OperationQueue) {
        if !queue.add(operation) { operation.fail(StoreError.unavailable) }
    }
}
