internal import IPCModel

/// The state of an open store, used on its thread alone: the transaction, and what is known of the tables without
/// reading them.
final class StoreSession {
    let transaction: GroupTransaction
    let counter: ChangeCounter

    /// Pasteboards that were read, by name; emptied when anything is undone.
    var boards: [PasteboardName: Board] = [:]
    /// Versions that are known whole; emptied when anything is undone.
    var known = KnownVersions()
    var boardCount: UInt64 = 0
    var contentTypes: [String: ContentType] = [:]
    var operations = OperationLog()
    /// Claims, choices and policies.
    let registrations: Registrations
    let requestRows: RequestRows
    private(set) lazy var payloads = RequestPayloads(transaction, self)
    private(set) lazy var retention = RequestRetention(requestRows, payloads, transaction)
    private(set) lazy var requests = Requests(transaction, requestRows, payloads, retention)
    var files: StoredFiles
    /// What each source has in the store.
    let usage: UsageTally
    /// When versions end by themselves.
    var deadlines = Deadlines()
    /// What sensitive versions hold, by change count.
    var sensitive: [UInt64: SensitiveContent] = [:]
    /// The number of removals that are kept, in both databases.
    var removalCount: UInt64 = 0
    /// The pasteboards that the group which gathers has moved.
    private var moves: [PasteboardMove] = []

    var configuration: StoreConfiguration { transaction.configuration }

    /// Makes a session on a database whose schema is up to date.
    init(
        _ database: Database, _ configuration: StoreConfiguration, _ files: StoredFiles,
        after report: OpeningReport
    ) throws {
        self.files = files
        transaction = try GroupTransaction(database, configuration)
        counter = try ChangeCounter(transaction)
        usage = UsageTally(transaction)
        registrations = Registrations(transaction)
        requestRows = RequestRows(transaction)
        transaction.emptyOnUndo { [unowned self] in
            boards.removeAll(keepingCapacity: true)
            known.removeAll()
        }
        try commit()
        transaction.beginOperation()
        try load(after: report)
        try commit()
    }

    private func load(after report: OpeningReport) throws {
        for area in Area.allCases {
            boardCount += try count("SELECT count(*) FROM @.pasteboard", area)
            removalCount += try count("SELECT count(*) FROM @.removal", area)
        }
        try usage.load(afterCleanStop: report.wasClean)
        try loadDeadlines()
        try requestRows.load()
        if report.salvaged != nil { try payloads.releaseUnheld() }
        try createGeneral()
    }

    private func count(_ sql: StaticString, _ area: Area) throws -> UInt64 {
        try transaction.statement(sql, area).first { $0.number(0) } ?? 0
    }
}

// MARK: Groups

extension StoreSession {
    /// Brings the group to the disk and begins the next; `GroupLost` if that is impossible.
    func commit() throws {
        try endTransaction()
        try transaction.log.flush()
        settle()
        tell(takeMoves())
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
        operations.compact()
        requestRows.compact()
    }

    /// The pasteboards that the group has moved which has just ended.
    func takeMoves() -> [PasteboardMove] {
        defer { moves = [] }
        return moves
    }

    /// Says which pasteboards have moved, when that is on the disk.
    func tell(_ moves: [PasteboardMove]) {
        if !moves.isEmpty { configuration.onChange(moves) }
    }

    /// Notes that a pasteboard has moved; watchers are notified when the group is on the disk.
    func note(_ move: PasteboardMove) {
        moves.append(move)
        transaction.onUndo { [self] in moves.removeLast() }
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
