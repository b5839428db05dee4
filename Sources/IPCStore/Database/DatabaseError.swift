internal import CSQLite

struct DatabaseError: Error, Equatable {
    /// The extended result code; its lowest byte is the primary result code.
    let code: Int32
    let message: String
    /// The statement that failed; `nil` if the error concerns the connection.
    let sql: String?

    var primaryCode: Int32 { code & 0xFF }

    /// - Parameter message: `nil` to use SQLite's own message for the code.
    init(_ code: Int32, _ message: String? = nil, sql: String? = nil) {
        (self.code, self.sql) = (code, sql)
        self.message = message ?? String(cString: sqlite3_errstr(code))
    }
}

extension DatabaseError: CustomStringConvertible {
    var description: String {
        "SQLite error \(primaryCode): \(message)" + (sql.map { " - while executing `\($0)`" } ?? "")
    }
}

extension Error {
    private var resultCode: Int32? { (self as? DatabaseError)?.primaryCode }

    /// Whether the disk is full, or the user's quota is used up.
    var isFullDisk: Bool { resultCode == SQLITE_FULL }

    /// Whether the disk or the file has failed, as opposed to a condition that the caller can act on.
    var isFault: Bool { self is DatabaseError && !isFullDisk }

    /// Whether part of a file could not be read.
    var isUnreadable: Bool {
        switch (self as? DatabaseError)?.code {
        // SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ, and SQLITE_IOERR_CORRUPTFS (for EIO). Swift does not import them.
        case SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 33 << 8: true
        default: false
        }
    }

    /// Whether a file is damaged, as opposed to the disk failing.
    var isDamage: Bool { self is DamagedFile || resultCode == SQLITE_CORRUPT || resultCode == SQLITE_NOTADB }

    /// Whether a statement failed because it does not match the schema, for example with “no such table”.
    var isUnknownName: Bool { resultCode == SQLITE_ERROR }
}
