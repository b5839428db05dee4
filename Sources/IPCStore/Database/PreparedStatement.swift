internal import CSQLite

final class PreparedStatement {
    private let handle: OpaquePointer
    private let database: Database
    private let sql: String
    private let parameterCount: Int
    /// A buffer for the short strings and bytes that are bound to parameters; allocated on first use.
    private var room: UnsafeMutableRawPointer?
    private var roomUsed = 0

    private static let roomSize = 1_024

    /// Compiles a statement. The corresponding C function is `sqlite3_prepare_v3`.
    /// - Throws: `SQLITE_MISUSE` if the string does not contain exactly one statement.
    init(_ sql: String, on database: Database) throws {
        let connection = try database.connection
        var handle: OpaquePointer?
        let isWhole = try sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &rest)
            try database.check(code, sql: sql)
            return rest?.pointee == 0
        }
        guard let handle, isWhole else {
            sqlite3_finalize(handle)
            throw DatabaseError(SQLITE_MISUSE, "the text is not one statement", sql: sql)
        }
        (self.handle, self.database, self.sql) = (handle, database, sql)
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
    }

    deinit {
        sqlite3_finalize(handle)
        room?.deallocate()
    }

    func run(_ values: [SQLValue] = []) throws {
        try scan(values) { _ in true }
    }

    /// Runs the statement, and passes each row to a closure, which must not keep the row or run the statement again.
    func query(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Void) throws {
        try scan(values) { row in
            try body(row)
            return true
        }
    }

    /// Runs the statement, and passes each row to a closure until the closure returns false.
    func scan(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Bool) throws {
        database.checkThread()
        // Each run binds all parameters, so that none refers to memory from an earlier run.
        guard values.count == parameterCount else {
            throw DatabaseError(SQLITE_MISUSE, "\(values.count) values for \(parameterCount) parameters", sql: sql)
        }
        guard sqlite3_stmt_busy(handle) == 0 else {
            throw DatabaseError(SQLITE_MISUSE, "the statement is already running", sql: sql)
        }
        roomUsed = 0
        defer { sqlite3_reset(handle) }
        try bind(values, from: 0) {
            while true {
                let code = sqlite3_step(handle)
                switch code {
                case SQLITE_ROW: if try !body(SQLRow(handle)) { return }
                case SQLITE_DONE: return
                default: throw database.error(code, sql: sql)
                }
            }
        }
    }

    /// The number of rows that the last run changed. The corresponding C function is `sqlite3_changes`.
    var changes: Int32 { get throws { sqlite3_changes(try database.connection) } }

    /// Passes the first row to a closure, and returns its result; `nil` if there is no row.
    func first<Value>(_ values: [SQLValue] = [], _ body: (SQLRow) throws -> Value?) throws -> Value? {
        var result: Value?
        try scan(values) { row in
            result = try body(row)
            return false
        }
        return result
    }

    /// Binds the values from index `position` on, then runs the body. Short strings and bytes are copied into the
    /// statement's buffer, and longer ones are bound where they are. SQLite makes no copies.
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

    /// Copies bytes into the statement's buffer and binds them. Returns false if the buffer has no space for them.
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

    /// Binds bytes, which must stay in place until the statement has run. SQLite binds NULL for a null address.
    private func lend(_ bytes: UnsafeRawBufferPointer, _ parameter: Int32, isText: Bool) throws {
        if isText {
            let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            try check(sqlite3_bind_text64(handle, parameter, start, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
        } else {
            try check(sqlite3_bind_blob64(handle, parameter, bytes.baseAddress, UInt64(bytes.count), nil))
        }
    }

    private func check(_ code: Int32) throws { try database.check(code, sql: sql) }
}
