internal import GRDB
internal import GRDBSQLite

/// A compiled statement that is kept and run again and again.
///
/// GRDB's own `Statement` boxes each argument and each row, which costs more than SQLite itself needs for the small
/// rows of the store; so the hot path binds and steps by the C interface. This file and `SQLRow.swift` are the only
/// ones that call it.
final class PreparedStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private let sql: String
    /// Room for short texts and bytes, from where SQLite takes them; taken at the first of them.
    private var room: UnsafeMutableRawPointer?
    private var roomUsed = 0

    private static let roomSize = 1_024

    /// Compiles a statement. The corresponding C function is `sqlite3_prepare_v3`.
    init(_ sql: String, on database: Database) throws {
        guard let connection = database.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
        }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw Self.error(code, on: connection, sql: sql) }
        (self.handle, self.connection, self.sql) = (handle, connection, sql)
    }

    deinit {
        sqlite3_finalize(handle)
        room?.deallocate()
    }

    /// Whether the statement changes nothing. The corresponding C function is `sqlite3_stmt_readonly`.
    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Runs the statement to its end and lets go of its rows.
    func run(_ values: [SQLValue] = []) throws {
        try scan(values) { _ in true }
    }

    /// Runs the statement and hands each row to a closure, which must not keep it nor run the same statement.
    func query(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Void) throws {
        try scan(values) { row in
            try body(row)
            return true
        }
    }

    /// Runs the statement and hands each row to a closure until it says false.
    func scan(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Bool) throws {
        // Each run binds all of them anew, so that nothing is left of what was lent before.
        guard values.count == Int(sqlite3_bind_parameter_count(handle)) else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(values.count) values are bound", sql: sql)
        }
        roomUsed = 0
        defer { sqlite3_reset(handle) }
        try bind(values, from: 0) {
            while true {
                let code = sqlite3_step(handle)
                switch code {
                case SQLITE_ROW: if try !body(SQLRow(handle)) { return }
                case SQLITE_DONE: return
                default: throw Self.error(code, on: connection, sql: sql)
                }
            }
        }
    }

    /// How many rows the statement changed when it ran last. The corresponding C function is `sqlite3_changes`.
    var changes: Int32 { sqlite3_changes(connection) }

    /// The first row, as a closure makes something of it; nil where there is none.
    func first<Value>(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Value?) throws -> Value? {
        var result: Value?
        try scan(values) { row in
            result = try body(row)
            return false
        }
        return result
    }

    /// Binds from a position on, then runs the body. Short texts and bytes are copied into the room of the statement,
    /// longer ones are lent to SQLite as they are: neither is copied by it.
    private func bind(_ values: [SQLValue], from position: Int, _ body: () throws -> Void) throws {
        for index in position..<values.count {
            let parameter = Int32(index + 1)
            switch values[index] {
            case .null:
                try check(sqlite3_bind_null(handle, parameter))
            case .integer(let number):
                try check(sqlite3_bind_int64(handle, parameter, number))
            case .text(var text):
                if try text.withUTF8({ try bindShort(UnsafeRawBufferPointer($0), parameter, isText: true) }) {
                    continue
                }
                return try text.withUTF8 { utf8 in
                    try lend(UnsafeRawBufferPointer(utf8), parameter, isText: true)
                    try bind(values, from: index + 1, body)
                }
            case .textBytes(var text):
                if try text.withUTF8({ try bindShort(UnsafeRawBufferPointer($0), parameter, isText: false) }) {
                    continue
                }
                return try text.withUTF8 { utf8 in
                    try lend(UnsafeRawBufferPointer(utf8), parameter, isText: false)
                    try bind(values, from: index + 1, body)
                }
            case .bytes(let bytes):
                if try bytes.withUnsafeBytes({ try bindShort($0, parameter, isText: false) }) { continue }
                return try bytes.withUnsafeBytes { bytes in
                    try lend(bytes, parameter, isText: false)
                    try bind(values, from: index + 1, body)
                }
            }
        }
        try body()
    }

    /// Binds what the room has place for; false where it has none.
    private func bindShort(_ bytes: UnsafeRawBufferPointer, _ parameter: Int32, isText: Bool) throws -> Bool {
        guard bytes.count <= Self.roomSize - roomUsed else { return false }
        let room = room ?? .allocate(byteCount: Self.roomSize, alignment: 1)
        self.room = room
        let start = room + roomUsed
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
        roomUsed += bytes.count
        try lend(UnsafeRawBufferPointer(start: start, count: bytes.count), parameter, isText: isText)
        return true
    }

    /// Binds bytes that stay where they are until the statement has run; not at a null pointer, which would be NULL.
    private func lend(_ bytes: UnsafeRawBufferPointer, _ parameter: Int32, isText: Bool) throws {
        if isText {
            try check(
                sqlite3_bind_text(
                    handle, parameter, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), nil))
        } else {
            try check(sqlite3_bind_blob64(handle, parameter, bytes.baseAddress, UInt64(bytes.count), nil))
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Self.error(code, on: connection, sql: sql) }
    }

    private static func error(_ code: Int32, on connection: OpaquePointer, sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}

extension Database {
    /// Whether a transaction is open, asked on any thread: GRDB's own property insists on the one of its queue, and the
    /// store's thread may have lent the session. The corresponding C function is `sqlite3_get_autocommit`.
    var hasTransaction: Bool { sqlite3_get_autocommit(sqliteConnection) == 0 }

    /// Takes GRDB's hooks off the connection: they look for observers, of which the store has none, at each commit, and only
    /// on the thread of GRDB's queue. The corresponding C functions are `sqlite3_commit_hook` and `sqlite3_rollback_hook`.
    func removeTransactionHooks() {
        sqlite3_commit_hook(sqliteConnection, nil, nil)
        sqlite3_rollback_hook(sqliteConnection, nil, nil)
    }
}
