internal import CSQLite

/// A column of one row that is read without SQLite's own copy of it, which would take as long as the reading itself. The
/// corresponding C functions are `sqlite3_blob_open`, `sqlite3_blob_read` and `sqlite3_blob_close`.
final class LongValue {
    let byteCount: Int
    private let handle: OpaquePointer
    private let database: Database

    /// Returns `nil` if the column is neither text nor bytes.
    /// - Parameter row: the row's `INTEGER PRIMARY KEY`.
    init?(_ column: String, of table: String, row: UInt64, _ area: Area, in database: Database) throws {
        var handle: OpaquePointer?
        let code = sqlite3_blob_open(
            try database.connection, area.schema, table, column, Int64(bitPattern: row), 0, &handle)
        guard code != SQLITE_ERROR else { return nil }
        guard code == SQLITE_OK, let handle else { throw database.error(code) }
        (self.handle, self.database) = (handle, database)
        byteCount = Int(sqlite3_blob_bytes(handle))
    }

    deinit { sqlite3_blob_close(handle) }

    /// Copies the value into memory for ``byteCount`` bytes.
    /// - Throws: the error of a page that cannot be read, or that is not part of the value.
    func copy(to memory: UnsafeMutableRawBufferPointer) throws {
        precondition(memory.count == byteCount)
        try database.check(sqlite3_blob_read(handle, memory.baseAddress, Int32(byteCount), 0))
    }
}
