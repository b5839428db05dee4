internal import IPCModel

/// An open store, used on its thread alone: the transaction, and the owners of the tables.
final class StoreSession {
    let transaction: GroupTransaction
    let counter: ChangeCounter
    let usage: UsageTally
    let files: StoredFiles
    let known: KnownVersions
    let sensitive: SensitiveContents
    let deadlines: Deadlines
    let contents: Contents
    let versions: Versions
    let boards: Boards
    let histories: Histories
    let calls: RepeatableCalls
    let limits: VersionLimits
    let composer: VersionComposer
    let overwriting: Overwriting
    let fulfilment: PromiseFulfilment
    let relocation: Relocation
    let registrations: Registrations
    let requestRows: RequestRows
    let retention: RequestRetention
    let requests: Requests
    private let payloads: RequestPayloads

    var configuration: StoreConfiguration { transaction.configuration }

    /// Makes a session on a database whose schema is up to date.
    init(
        _ database: Database, _ configuration: StoreConfiguration, after report: OpeningReport,
        files: (GroupTransaction) -> StoredFiles
    ) throws {
        transaction = try GroupTransaction(database, configuration)
        counter = try ChangeCounter(transaction)
        usage = UsageTally(transaction)
        self.files = files(transaction)
        known = KnownVersions(transaction)
        sensitive = SensitiveContents(transaction, usage)
        deadlines = Deadlines(transaction, sensitive)
        contents = Contents(transaction, self.files, known, sensitive)
        versions = Versions(transaction, usage, known, deadlines, sensitive, contents)
        boards = Boards(transaction, counter)
        histories = Histories(transaction, counter, usage, boards, versions, known, deadlines, sensitive)
        calls = RepeatableCalls(transaction, versions)
        limits = VersionLimits(contents, configuration.limits)
        composer = VersionComposer(
            contents: contents, sensitive: sensitive, deadlines: deadlines, counter: counter, limits: limits,
            configuration: configuration)
        overwriting = Overwriting(
            boards: boards, versions: versions, contents: contents, known: known, usage: usage, counter: counter,
            limits: limits)
        fulfilment = PromiseFulfilment(
            versions: versions, contents: contents, sensitive: sensitive, usage: usage, limits: limits)
        relocation = Relocation(
            transaction: transaction, boards: boards, versions: versions, files: self.files, usage: usage)
        registrations = Registrations(transaction)
        requestRows = RequestRows(transaction)
        payloads = RequestPayloads(
            transaction, counter, usage, boards, versions, contents, histories, limits)
        retention = RequestRetention(requestRows, payloads, transaction)
        requests = Requests(transaction, requestRows, payloads, retention)
        try commit()
        transaction.beginOperation()
        try load(after: report)
        try commit()
    }

    private func load(after report: OpeningReport) throws {
        try boards.load()
        try usage.load(afterCleanStop: report.wasClean)
        try deadlines.load()
        try requestRows.load()
        if report.salvaged != nil { try payloads.releaseUnheld() }
        try histories.createGeneral()
    }
}

// MARK: Groups

extension StoreSession {
    /// Brings the group to the disk and begins the next; `GroupLost` if that is impossible.
    func commit() throws {
        try endTransaction()
        try transaction.log.flush()
        settle()
        tell(boards.takeMoves())
    }

    /// Whether ``settle()`` has something to do when the group is on the disk.
    var mustSettle: Bool { counter.isPending || files.mustSettle }

    /// Does what may be done when everything that was written is on the disk: reserved numbers may be taken, and
    /// released files are removed.
    func settle() {
        counter.committed()
        files.committed()
    }

    /// Writes the group to the log and begins the next; `GroupLost` if that is impossible. The log has to be
    /// flushed before any caller or watcher learns of the group.
    func endTransaction() throws {
        try transaction.end {
            // An operation that was undone may have left file names that are not durable.
            if transaction.keepsToMemory, files.mustSynchronize { throw NeedsDisk() }
            try files.prepareCommit()
            try retention.prepareCommit()
            try usage.write()
        }
        usage.committed()
        calls.compact()
        requestRows.compact()
    }

    /// Says which pasteboards have moved, when that is on the disk.
    func tell(_ moves: [PasteboardMove]) {
        if !moves.isEmpty { configuration.onChange(moves) }
    }

    /// Undoes everything that the group wrote, and begins the next.
    func abandonGroup(hadStaged: Bool) throws {
        retention.abandonGroup()
        try transaction.abandon(hadStaged: hadStaged)
    }

    /// Marks the stop as one in good order and empties the write-ahead log. On a full disk it does neither: nothing is
    /// lost by that, and the next start checks the file.
    func end() throws {
        do {
            transaction.beginOperation()
            try counter.close()
            try commit()
            try transaction.log.checkpointAll()
        } catch let error where error is GroupLost || error.isFullDisk || error as? StoreError == .noSpace {
            try abandonGroup(hadStaged: false)
        }
    }
}
