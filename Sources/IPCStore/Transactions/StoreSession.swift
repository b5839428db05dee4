internal import IPCModel

/// An open store: the transaction, and the types that own the tables. Used by one thread at a time: the store's thread,
/// or the one that has borrowed the session (``SessionLending``).
final class StoreSession {
    let transaction: GroupTransaction
    let counter: ChangeCounter
    let usage: UsageTally
    let files: StoredFiles
    let known: KnownVersions
    let sensitive: SensitiveContents
    let deadlines: Deadlines
    let contents: Contents
    let unused: UnusedContents
    let versions: Versions
    let boards: Boards
    let histories: Histories
    let calls: RepeatableCalls
    let limits: VersionLimits
    let registrations: Registrations
    let requestRows: RequestRows
    let retention: RequestRetention
    let requests: Requests
    private let payloads: RequestPayloads

    var configuration: StoreConfiguration { transaction.configuration }

    /// - Parameter database: a database with an up-to-date schema.
    init(
        _ database: Database, _ configuration: StoreConfiguration, after report: OpeningReport,
        deleteUnused: @escaping () -> Void, files: (GroupTransaction) -> StoredFiles
    ) throws {
        transaction = try GroupTransaction(database, configuration)
        counter = try ChangeCounter(transaction)
        usage = UsageTally(transaction)
        self.files = files(transaction)
        known = KnownVersions(transaction)
        sensitive = SensitiveContents(transaction, usage)
        deadlines = Deadlines(transaction, sensitive)
        contents = Contents(transaction, self.files, known, sensitive)
        unused = UnusedContents(transaction, self.files, beginDeletion: deleteUnused)
        versions = Versions(transaction, usage, known, deadlines, sensitive, unused)
        unused.isUsed = { [unowned versions] in try versions.isUsed($0, $1) }
        boards = Boards(transaction, counter)
        histories = Histories(transaction, counter, usage, boards, versions, known, deadlines, sensitive)
        usage.makeRoom = { [unowned histories] in try histories.dropEarlierOfGeneral(keeping: $0) }
        calls = RepeatableCalls(transaction, versions)
        limits = VersionLimits(contents: contents, limits: configuration.limits)
        registrations = Registrations(transaction)
        requestRows = RequestRows(transaction)
        payloads = RequestPayloads(
            transaction, counter, usage, boards, versions, contents, histories, limits)
        retention = RequestRetention(requestRows, payloads, transaction)
        requests = Requests(transaction, requestRows, payloads, retention)
        try commit()
        transaction.beginOperation()
        try boards.load()
        try usage.load(afterCleanStop: report.wasClean)
        try deadlines.load()
        try unused.load()
        try requestRows.load()
        if report.salvaged != nil { try payloads.releaseUnheld() }
        try histories.createGeneral()
        try commit()
    }

    /// Writes the group to disk, and begins the next group.
    /// - Throws: ``GroupLost``
    func commit() throws {
        try endTransaction()
        try transaction.log.flush()
        settle()
        report(boards.takeMoves())
    }

    var mustSettle: Bool { counter.isPending || files.mustSettle }

    /// Makes the reserved change counts available, and removes released files. Call this once all writes are on disk.
    func settle() {
        counter.settle()
        files.settle()
    }

    /// Writes the group to the log, and begins the next group. See ``GroupTransaction/end(_:)``.
    func endTransaction() throws {
        try transaction.end {
            // An operation that was undone may have renamed blobs whose names are not durable yet.
            if transaction.keepsToMemory, files.mustSynchronize { throw NeedsDisk() }
            try files.prepareCommit()
            try retention.prepareCommit()
            try usage.write()
        }
        usage.committed()
        calls.compact()
        requestRows.compact()
    }

    func report(_ moves: [PasteboardMove]) {
        if !moves.isEmpty { configuration.onChange(moves) }
    }

    func abandonGroup(hadStaged: Bool) throws {
        retention.abandonGroup()
        try transaction.abandon(hadStaged: hadStaged)
    }

    /// Marks a clean stop, and empties the write-ahead log. If the disk is full or the store was removed, does neither:
    /// no data is lost, and the next start checks the file.
    func end() throws {
        do {
            transaction.beginOperation()
            try counter.close()
            try commit()
            try transaction.log.checkpointAll()
        } catch let error where error is GroupLost || error.isFullDisk || error is StoreError {
            try abandonGroup(hadStaged: false)
        }
    }
}
