/// The work of the store's thread: it opens the database, runs the operations, and closes the database. No other thread
/// uses the database, except through ``SessionLending``.
struct StoreThread: Sendable {
    let opening: StoreOpening
    let queue: OperationQueue
    let statistics: StoreStatistics
    let remover: WorkerThreads
    let lending: SessionLending
    let deletion: UnusedDeletion
    let lifetime: StoreLifetime

    func run() {
        let session: StoreSession
        do {
            let report: OpeningReport
            (session, report) = try open()
            statistics.committed(session.transaction.log)
            lending.offer(session)
            lifetime.started(.success((report, session.files.folder)))
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
            let session = try StoreSession(
                database, opening.configuration, after: report, deleteUnused: deletion.begin
            ) {
                StoredFiles(folder, $0, statistics: statistics, remover: remover)
            }
            return (session, report)
        } catch {
            // Close the database before its file is renamed or another process opens it.
            try? database.closeKeepingLog()
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

    /// Rejects all operations after a fault, such as a disk error. The connection stays open, because closing it would
    /// copy the log into the database on a failed disk. The next start copies the log.
    private func fail(_ session: StoreSession, _ fault: any Error) {
        lending.offer(nil)
        queue.stop()
        for operation in queue.takeAll() { operation.fail(StoreError.unavailable) }
        try? session.abandonGroup(hadStaged: false)
        session.transaction.database.abandon()
        opening.configuration.onFault(fault)
    }
}

typealias OpenedStore = (report: OpeningReport, folder: BlobFolder)
