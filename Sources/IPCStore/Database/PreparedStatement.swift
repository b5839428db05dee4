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
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
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

    /// The first row, as a closure makes something of it; nil where there is none.
    func first<Value>(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Value?) throws -> Value? {
        var result: Value?
        try scan(values) { row in
            result = try body(row)
            return false
        }
        return result
    }

    /// Binds from a position on, then runs the body; texts and bytes are lent to SQLite for so long, not copied.
    private func bind(_ values: [SQLValue], from position: Int, _ body: () throws -> Void) throws {
        for index in position..<values.count {
            let parameter = Int32(index + 1)
            switch values[index] {
            case .null:
                try check(sqlite3_bind_null(handle, parameter))
            case .integer(let number):
                try check(sqlite3_bind_int64(handle, parameter, number))
            case .text(var text):
                return try text.withUTF8 { utf8 in
                    try lend(utf8, parameter)
                    try bind(values, from: index + 1, body)
                }
            case .textBytes(var text):
                return try text.withUTF8 { utf8 in
                    try lend(UnsafeRawBufferPointer(utf8), parameter)
                    try bind(values, from: index + 1, body)
                }
            case .bytes(let bytes):
                return try bytes.withUnsafeBytes { bytes in
                    try lend(bytes, parameter)
                    try bind(values, from: index + 1, body)
                }
            }
        }
        try body()
    }

    private func lend(_ utf8: UnsafeBufferPointer<UInt8>, _ parameter: Int32) throws {
        // A null pointer would be NULL, not an empty text.
        let start = UnsafeRawPointer(utf8.baseAddress ?? Self.nothing.utf8Start).assumingMemoryBound(to: CChar.self)
        try check(sqlite3_bind_text(handle, parameter, start, Int32(utf8.count), nil))
    }

    private static let nothing: StaticString = ""

    private func lend(_ bytes: UnsafeRawBufferPointer, _ parameter: Int32) throws {
        // A null pointer would be NULL, not an empty value.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return try check(sqlite3_bind_zeroblob(handle, parameter, 0))
        }
        try check(sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), nil))
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Self.error(code, on: connection, sql: sql) }
    }

    private static func error(_ code: Int32, on connection: OpaquePointer, sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}
