internal import IPCModel

/// The state of an open store, used on its thread alone: the connection, its statements, and what is known of the
/// tables without asking them.
///
/// What is kept in memory follows the transaction by ``UndoLog``: taken back with an operation that fails, or with a
/// group that does not reach the disk.
final class StoreSession {
    let database: Database
    let configuration: StoreConfiguration
    let log: WriteAheadLog
    private let persistent: StatementCache
    private let volatile: StatementCache

    var counter: ChangeCounter
    var undo = UndoLog()
    /// Pasteboards that were read, by name; emptied when anything is undone.
    var boards: [PasteboardName: Board] = [:]
    /// Versions that are known whole; emptied when anything is undone.
    var known = KnownVersions()
    var boardCount: UInt64 = 0
    var contentTypes: [String: ContentType] = [:]
    var operations = OperationLog()
    var requests = RequestLog()
    var openRequests = OpenRequests()
    var files: StoredFiles
    /// What each source has in the store.
    var usage = UsageTally()
    /// When versions end by themselves.
    var deadlines = Deadlines()
    /// What sensitive versions hold, by change count.
    var sensitive: [UInt64: SensitiveContent] = [:]
    /// The number of removals that are kept, in both databases.
    var removalCount: UInt64 = 0

    /// The pasteboards that the group which gathers has moved.
    var moves: [PasteboardMove] = []

    /// Whether the operation that runs is given up rather than have it ask the file; see ``SessionLending``.
    var keepsToMemory = false

    /// The group that gathers now.
    private(set) var group = CommitGroup(number: 1)
    private var lostGroups = LostGroups()
    /// Whether the group that gathers has written anything.
    private(set) var isDirty = false
    /// Whether the group writes to the file, and not to memory alone.
    private var isForFile = false
    private var step = Step()
    /// How to take back what the operation wrote without a savepoint, latest last.
    private var reversals: [Reversal] = []
    /// How many requests of each source have ended in the group.
    var endedInGroup: [RequestPayer: Int] = [:]

    /// What an operation has opened.
    private struct Step {
        var wrote = false
        /// Whether the transaction began with the operation, and is undone with it.
        var beganGroup = false
        var hasSavepoint = false
    }

    /// Makes a session on a database whose schema is up to date.
    init(
        _ database: Database, _ configuration: StoreConfiguration, _ files: StoredFiles,
        after report: OpeningReport
    ) throws {
        (self.database, self.configuration, self.files) = (database, configuration, files)
        persistent = StatementCache(database, .persistent)
        volatile = StatementCache(database, .volatile)
        log = WriteAheadLog(
            database, path: try StoreDirectory(configuration.directory).log,
            waitsForDisk: configuration.waitsForDisk)
        counter = ChangeCounter()
        try start(after: report)
    }

    private func start(after report: OpeningReport) throws {
        try openCounter()
        beginOperation()
        for area in Area.allCases {
            boardCount += try count("SELECT count(*) FROM @.pasteboard", area)
            removalCount += try count("SELECT count(*) FROM @.removal", area)
        }
        try loadUsage(afterCleanStop: report.wasClean)
        try loadDeadlines()
        try requests.load(self)
        if report.salvaged != nil { try releaseUnheldPayloads() }
        try createGeneral()
        try commit()
    }

    private func count(_ sql: StaticString, _ area: Area) throws -> UInt64 {
        try statement(sql, area).first { $0.number(0) } ?? 0
    }
}

// MARK: Statements

extension StoreSession {
    /// A statement that only reads; ``NeedsDisk`` where the operation that runs is not to ask the file.
    func statement(_ sql: StaticString, _ area: Area) throws -> PreparedStatement {
        switch area {
        case .persistent:
            if keepsToMemory { throw NeedsDisk() }
            return try persistent[sql]
        case .volatile: return try volatile[sql]
        }
    }

    /// Runs a statement that begins, ends or takes back a transaction, or a part of one.
    private func control(_ sql: StaticString) throws { try persistent[sql].run() }

    /// Runs a statement that writes.
    func write(_ sql: StaticString, _ area: Area, _ values: [SQLValue]) throws {
        try prepareToWrite()
        note(area)
        try statement(sql, area).run(values)
    }

    /// Runs a statement that writes, and hands each row that it returns to a closure.
    func write(
        _ sql: StaticString, _ area: Area, _ values: [SQLValue], _ body: (SQLRow) throws -> Void
    ) throws {
        try prepareToWrite()
        note(area)
        try statement(sql, area).query(values, body)
    }

    /// Writes a row whose last column is the checksum over those before it.
    func insert(_ sql: StaticString, _ area: Area, _ columns: [SQLValue], in domain: Checksum.Domain) throws {
        try write(sql, area, columns + [Checksum.of(columns, in: domain)])
    }
}

// MARK: Transactions

extension StoreSession {
    /// Opens the transaction of the group before its first write, and a savepoint before a write of a further operation
    /// for which no reversal is noted: the first one is undone with the transaction.
    func prepareToWrite() throws {
        if !isDirty {
            try control("BEGIN IMMEDIATE")
            (isDirty, step.beganGroup) = (true, true)
        } else if !step.beganGroup, !step.hasSavepoint {
            try control("SAVEPOINT operation")
            step.hasSavepoint = true
        }
        step.wrote = true
    }

    /// Runs a statement that writes rows one at a time, of which it is known how to take them back. A savepoint would
    /// copy each page that the statement changes.
    ///
    /// The statement itself changes all or nothing: each checks its row before it writes, and where the disk fails SQLite
    /// undoes the whole transaction.
    func write(
        _ sql: StaticString, _ area: Area, _ values: [SQLValue], reversal: @autoclosure () -> Reversal
    ) throws {
        if !isDirty { try prepareToWrite() }
        step.wrote = true
        note(area)
        try statement(sql, area).run(values)
        if !step.beganGroup, !step.hasSavepoint { reversals.append(reversal()) }
    }

    /// Notes that the group writes to an area.
    private func note(_ area: Area) { if case .persistent = area { isForFile = true } }

    /// Whether the operation that runs, or ran last, has written anything.
    var operationWrote: Bool { step.wrote }

    func beginOperation() {
        step = Step()
        if !reversals.isEmpty { reversals.removeAll(keepingCapacity: true) }
    }

    /// Runs one operation; what it throws undoes what it wrote.
    ///
    /// `GroupLost` where SQLite has undone the whole transaction, as it may on a full disk.
    func perform<Value>(_ body: (borrowing StoreTransaction) throws -> Value) throws -> Value {
        beginOperation()
        let mark = undo.mark
        do {
            let value = try body(StoreTransaction(self))
            if step.wrote, !database.hasTransaction { throw StoreError.noSpace }
            if step.hasSavepoint { try control("RELEASE operation") }
            return value
        } catch {
            if isDirty, !database.hasTransaction { throw GroupLost(reason: .noSpace) }
            try takeBack(to: mark)
            throw error.isFullDisk ? StoreError.noSpace : error
        }
    }

    private func takeBack(to mark: Int) throws {
        guard step.wrote else { return }
        if step.hasSavepoint {
            try control("ROLLBACK TO operation")
            try control("RELEASE operation")
        }
        if step.beganGroup {
            try control("ROLLBACK")
            isDirty = false
        } else {
            try reverse()
        }
        forget(to: mark)
    }

    /// Takes back what was written before there was a savepoint; without room for that the whole group is lost.
    private func reverse() throws {
        do {
            while let reversal = reversals.popLast() { try run(reversal) }
        } catch let error where error.isFullDisk {
            throw GroupLost(reason: .noSpace)
        }
    }

    private func forget(to mark: Int) {
        boards.removeAll(keepingCapacity: true)
        known.removeAll()
        openRequests.removeAll()
        while let change = undo.pop(to: mark) { revert(change) }
    }

    /// Brings the group to the disk and begins the next; `GroupLost` where it cannot be had there.
    func commit() throws {
        try endTransaction()
        try log.flush()
        settle()
        tell(takeMoves())
    }

    /// Whether the group has more to do when it is on the disk than to be told of.
    var mustSettle: Bool { counter.isPending || files.mustSettle }

    /// Does what may be done when everything that was written is on the disk: numbers that were reserved are taken, files
    /// that were let go of are removed.
    func settle() {
        counter.committed()
        files.committed()
    }

    /// Writes the group to the log and begins the next; `GroupLost` where it cannot be had there. Nobody may be told of it before
    /// the log has been flushed.
    func endTransaction() throws {
        if isDirty {
            // An operation that was taken back may have left names to be made durable.
            if keepsToMemory, files.mustSynchronize { throw NeedsDisk() }
            try files.prepareCommit()
            do {
                try forgetExcess()
                try writeUsage()
                if isForFile, log.isRemoved { throw GroupLost(reason: .removed(path: log.path)) }
                try control("COMMIT")
            } catch let error where error.isFullDisk {
                throw GroupLost(reason: .noSpace)
            }
        }
        (isDirty, isForFile) = (false, false)
        usage.committed()
        undo.removeAll()
        operations.compact()
        requests.compact()
        group = CommitGroup(number: group.number + 1)
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

    /// Notes that a pasteboard has moved, to be told when that is on the disk.
    func note(_ move: PasteboardMove) {
        moves.append(move)
        undo.append(.moved)
    }

    /// Forgets ended requests of the payers that have ended some in the group, for all of its operations together.
    private func forgetExcess() throws {
        guard !endedInGroup.isEmpty else { return }
        beginOperation()
        // What fails here is undone with the group.
        (step.wrote, step.beganGroup) = (true, true)
        let now = configuration.now()
        for (payer, ended) in endedInGroup { try forgetRequests(of: payer, at: now, most: 2 * ended) }
        try forgetUnattestedExcess(atMost: 2 * endedInGroup.values.reduce(0, +))
        endedInGroup.removeAll(keepingCapacity: true)
    }

    /// Takes back everything that the group wrote, and begins the next.
    func abandonGroup(hadStaged: Bool) throws {
        if database.hasTransaction { try control("ROLLBACK") }
        endedInGroup.removeAll()
        (isDirty, isForFile) = (false, false)
        forget(to: 0)
        if hadStaged { lostGroups.insert(group) }
        group = CommitGroup(number: group.number + 1)
    }
}

extension StoreSession {
    /// Marks the stop as one in good order and empties the write-ahead log. On a full disk it does neither: nothing is
    /// lost by that, and the next start checks the file.
    func end() throws {
        do {
            try closeCounter()
            try log.checkpointAll()
        } catch let error where error is GroupLost || error.isFullDisk || error as? StoreError == .noSpace {
            try abandonGroup(hadStaged: false)
        }
    }
}

extension StoreSession {
    /// Finalizes the statements and closes the database.
    func close() throws {
        persistent.removeAll()
        volatile.removeAll()
        try database.close()
    }

    /// Whether staged operations of a group may not have reached the disk.
    func mayBeLost(_ group: CommitGroup) -> Bool { lostGroups.contains(group) }
}

/// Groups with staged operations that did not reach the disk.
struct LostGroups {
    private var groups: Set<CommitGroup> = []
    /// Groups up to this one are all taken for lost: safe, and seldom wrong, because they are old.
    private var bound: UInt64 = 0

    func contains(_ group: CommitGroup) -> Bool { group.number <= bound || groups.contains(group) }

    mutating func insert(_ group: CommitGroup) {
        if groups.count >= 4_096 {
            groups.removeAll()
            bound = group.number - 1
        }
        groups.insert(group)
    }
}

/// The transaction of the group is gone, or cannot be kept.
struct GroupLost: Error {
    /// What those are told who wait for it.
    let reason: StoreError
}
