/// The work of the store's thread. It opens the database, runs the operations, and closes the database: no other thread has it,
/// except as ``SessionLending`` says.
struct StoreThread: Sendable {
    let opening: StoreOpening
    let queue: OperationQueue
    let statistics: StoreStatistics
    let remover: WorkerThreads
    let lending: SessionLending
    let lifetime: StoreLifetime

    /// Runs until the store is closed or the disk fails.
    func run() {
        let session: StoreSession
        do {
            let report: OpeningReport
            (session, report) = try open()
            statistics.committed(session.transaction.log)
            lending.offer(session)
            lifetime.started(.success(OpenedStore(report: report, folder: session.files.folder)))
        } catch {
            queue.stop()
            return lifetime.started(.failure(error))
        }
        do {
            try work(on: session)
            lifetime.ended(.success(()))
        } catch {
            fail(session, error)
            lifetime.ended(.failure(error))
        }
    }

    /// Opens the database, or replaces one that is damaged.
    private func open() throws -> (StoreSession, OpeningReport) {
        do {
            return try begin(opening.openDatabase())
        } catch let error where error.isDamage || error.isUnreadable && opening.canReadHeader {
            return try begin(opening.replaceDatabase(after: error))
        }
    }

    private func begin(_ opened: (Database, OpeningReport)) throws -> (StoreSession, OpeningReport) {
        let (database, report) = opened
        do {
            let folder = try BlobFolder(opening.directory, opening.configuration.limits)
            let session = try StoreSession(database, opening.configuration, after: report) {
                StoredFiles(folder, $0, statistics: statistics, remover: remover)
            }
            return (session, report)
        } catch {
            // Before the file is renamed, or another process looks at it.
            try? database.close()
            throw error
        }
    }

    private func work(on session: StoreSession) throws {
        var group = GroupCommit(session, queue, statistics)
        try group.work()
        try session.end()
        lending.offer(nil)
        try session.transaction.close()
    }

    /// Takes no more operations after a fault. The connection stays open, because closing it would copy the log into the
    /// database, on a disk that has failed: the next start does that.
    private func fail(_ session: StoreSession, _ fault: any Error) {
        lending.offer(nil)
        queue.stop()
        for operation in queue.takeAll() { operation.fail(StoreError.unavailable) }
        try? session.abandonGroup(hadStaged: false)
        session.transaction.database.abandon()
        opening.configuration.onFault(fault)
    }
}

/// What the thread has opened.
struct OpenedStore: Sendable {
    let report: OpeningReport
    let folder: BlobFolder
}
