/// The transaction of a group: the operations that are written to disk together. Used by one thread at a time. The
/// types that own tables run their statements through it. For each change that they make in memory, they add a closure
/// that undoes the change. The closure runs if the operation fails, or if the group does not reach the disk.
final class GroupTransaction {
    let database: Database
    let configuration: StoreConfiguration
    let log: WriteAheadLog
    private let persistent: StatementCache
    private let volatile: StatementCache

    /// When the current operation began, in milliseconds since 1970.
    private(set) var now: UInt64
    /// The number of the current operation.
    private(set) var operation: UInt64 = 0
    /// Whether the current operation throws ``NeedsDisk`` instead of reading the file; see ``SessionLending``.
    var keepsToMemory = false
    private(set) var group = CommitGroup(number: 1)
    /// Groups with staged operations that did not reach the disk.
    private var lostGroups: Set<CommitGroup> = []
    /// Groups up to this number count as lost, because ``lostGroups`` was emptied when it was full. So a commit that
    /// depends on an old group may be rejected needlessly, but none that depends on a lost group is accepted.
    private var lostBound: UInt64 = 0
    private(set) var isDirty = false
    /// Whether the group writes to the database file, and not only to memory.
    private var isForFile = false
    private var step = Step()
    /// Closures that undo the group's changes in memory, latest last.
    private var undoings: [() -> Void] = []
    /// Statements that undo the writes that the current operation made without a savepoint, latest last.
    private var reversals: [Reversal] = []
    private var caches: [() -> Void] = []

    private struct Reversal {
        let sql: StaticString
        let area: Area
        let values: () -> [SQLValue]
    }

    private struct Step {
        var wrote = false
        /// Whether the operation began the transaction. If so, and it fails, the whole transaction is rolled back.
        var beganGroup = false
        var hasSavepoint = false
    }

    /// - Parameter database: a database with an up-to-date schema.
    init(_ database: Database, _ configuration: StoreConfiguration) throws {
        (self.database, self.configuration) = (database, configuration)
        persistent = StatementCache(database, .persistent)
        volatile = StatementCache(database, .volatile)
        log = WriteAheadLog(
            database, in: try StoreDirectory(configuration.directory), waitsForDisk: configuration.waitsForDisk)
        now = configuration.now()
    }

    func close() throws {
        persistent.removeAll()
        volatile.removeAll()
        try database.close()
    }

    /// Whether `seconds` have passed since a time. False for a time in the future, as after the clock was set back.
    func isOver(_ time: UInt64, seconds: UInt64) -> Bool { now >= time && (now - time) / 1_000 >= seconds }

    /// Whether the staged operations of a group may have been lost before they reached the disk.
    func mayBeLost(_ group: CommitGroup) -> Bool { group.number <= lostBound || lostGroups.contains(group) }

    // MARK: Statements

    /// A statement that only reads.
    /// - Throws: ``NeedsDisk`` if the operation must not read the file.
    func statement(_ sql: StaticString, _ area: Area) throws -> PreparedStatement {
        switch area {
        case .persistent:
            if keepsToMemory { throw NeedsDisk() }
            return try persistent[sql]
        case .volatile: return try volatile[sql]
        }
    }

    /// Runs a statement that begins, ends or rolls back a transaction or a savepoint.
    private func control(_ sql: StaticString) throws { try persistent[sql].run() }

    /// Runs a statement that writes, and passes each row that it returns to a closure.
    func write(
        _ sql: StaticString, _ area: Area, _ values: [SQLValue], _ body: (SQLRow) throws -> Void = { _ in }
    ) throws {
        try prepareToWrite()
        try note(area)
        try statement(sql, area).query(values, body)
    }

    /// Writes a row whose last column is the checksum of the others.
    func insert(_ sql: StaticString, _ area: Area, _ columns: [SQLValue], in domain: Checksum.Domain) throws {
        try write(sql, area, columns + [Checksum.of(columns, in: domain)])
    }

    /// Runs a statement that writes one row, and whose effect `reversal` can undo. This avoids a savepoint, which would
    /// copy each changed page. The statement itself changes everything or nothing: SQLite checks the row before it
    /// writes, and rolls back the whole transaction if the disk fails.
    func write(
        _ sql: StaticString, _ area: Area, _ values: [SQLValue], undoneBy reversal: StaticString,
        _ reversalValues: @autoclosure () -> () -> [SQLValue]
    ) throws {
        if !isDirty { try prepareToWrite() }
        step.wrote = true
        try note(area)
        try statement(sql, area).run(values)
        addReversal(Reversal(sql: reversal, area: area, values: reversalValues()))
    }

    private func addReversal(_ reversal: @autoclosure () -> Reversal) {
        if !step.beganGroup, !step.hasSavepoint { reversals.append(reversal()) }
    }

    /// A statement that writes one row, to be run for each of several rows. `reversal` undoes the effect of all of them;
    /// it also runs if only some of the rows were written, so it must not affect rows that existed before.
    func statement(
        forRows sql: StaticString, _ area: Area, undoneBy reversal: StaticString,
        _ reversalValues: @autoclosure () -> () -> [SQLValue]
    ) throws -> PreparedStatement {
        if !isDirty { try prepareToWrite() }
        step.wrote = true
        try note(area)
        let statement = try statement(sql, area)
        addReversal(Reversal(sql: reversal, area: area, values: reversalValues()))
        return statement
    }

    /// Begins the transaction before the group's first write. In later operations, sets a savepoint before the first
    /// write that has no reversal. The operation that began the transaction is undone by rolling back the transaction.
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

    private func note(_ area: Area) throws {
        guard case .persistent = area, !isForFile else { return }
        if let loss = log.loss { throw loss }
        isForFile = true
    }

    // MARK: Operations

    var operationWrote: Bool { step.wrote }

    func beginOperation() {
        step = Step()
        operation += 1
        now = configuration.now()
        if !reversals.isEmpty { reversals.removeAll(keepingCapacity: true) }
    }

    /// Begins an operation of the store itself, such as forgetting old records. If it fails, the whole group is lost.
    func beginUpkeep() {
        beginOperation()
        (step.wrote, step.beganGroup) = (true, true)
    }

    /// Adds a closure that undoes a change in memory.
    func onUndo(_ undo: @escaping () -> Void) { undoings.append(undo) }

    /// Adds a closure that empties a cache of rows. All these closures run before anything is undone.
    func emptyOnUndo(_ empty: @escaping () -> Void) { caches.append(empty) }

    /// Runs one operation. If it throws, its writes are undone.
    /// - Throws: ``GroupLost`` if SQLite has rolled back the whole transaction, as it may when the disk is full.
    func perform<Value>(_ body: () throws -> Value) throws -> Value {
        beginOperation()
        let mark = undoings.count
        do {
            let value = try body()
            if step.wrote, !database.hasTransaction { throw StoreError.noSpace }
            if step.hasSavepoint { try control("RELEASE operation") }
            return value
        } catch {
            if isDirty, !database.hasTransaction { throw GroupLost(reason: .noSpace) }
            try undoOperation(to: mark)
            throw error.isFullDisk ? StoreError.noSpace : error
        }
    }

    private func undoOperation(to mark: Int) throws {
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
        undoChanges(to: mark)
    }

    /// Undoes the operation's writes that have no savepoint. If the disk is too full for that, the group is lost.
    private func reverse() throws {
        do {
            while let reversal = reversals.popLast() {
                try statement(reversal.sql, reversal.area).run(reversal.values())
            }
        } catch let error where error.isFullDisk {
            throw GroupLost(reason: .noSpace)
        }
    }

    private func undoChanges(to mark: Int) {
        for empty in caches { empty() }
        while undoings.count > mark { undoings.removeLast()() }
    }

    // MARK: Groups

    /// Writes the group to the log, and begins the next group. The log must be flushed before any caller or watcher
    /// learns of the group's writes.
    /// - Parameter prepare: writes rows for the whole group.
    /// - Throws: ``GroupLost``
    func end(_ prepare: () throws -> Void) throws {
        if isDirty {
            do {
                try prepare()
                if isForFile, log.isRemoved { throw GroupLost(reason: .removed(path: log.path)) }
                try control("COMMIT")
            } catch let error where error.isFullDisk {
                throw GroupLost(reason: .noSpace)
            }
        }
        undoings.removeAll(keepingCapacity: true)
        beginNext()
    }

    /// Undoes the whole group, and begins the next group. If the group had staged operations, it is remembered as lost.
    func abandon(hadStaged: Bool) throws {
        if database.hasTransaction { try control("ROLLBACK") }
        undoChanges(to: 0)
        if hadStaged {
            if lostGroups.count >= 4_096 { (lostGroups, lostBound) = ([], group.number - 1) }
            lostGroups.insert(group)
        }
        beginNext()
    }

    private func beginNext() {
        (isDirty, isForFile) = (false, false)
        group = CommitGroup(number: group.number + 1)
    }
}

package struct CommitGroup: Sendable, Hashable {
    let number: UInt64
}

/// The transaction of the group was rolled back, or cannot be committed.
struct GroupLost: Error {
    let reason: StoreError
}

/// Thrown when an operation that may only use memory needs the file.
struct NeedsDisk: Error {}
