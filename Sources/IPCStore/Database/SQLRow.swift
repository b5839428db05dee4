internal import GRDBSQLite

/// One row of a running statement, valid until the next step.
struct SQLRow {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    /// What a column can hold.
    enum ColumnType {
        case null, integer, text, bytes
    }

    func type(_ column: Int32) -> ColumnType {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .bytes
        default: .null
        }
    }

    func isNull(_ column: Int32) -> Bool { type(column) == .null }

    func text(_ column: Int32) -> String {
        String(decoding: raw(column), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }

    /// The bytes of a text or of bytes, valid as long as the row.
    func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// Whether the columns before `column` have the checksum that stands in it.
    func isIntact(_ domain: Checksum.Domain, checksum column: Int32) -> Bool {
        var checksum = Checksum(domain: domain)
        for index in 0..<column {
            switch type(index) {
            case .integer: checksum.add(integer(index))
            case .text: checksum.add(text: raw(index))
            case .bytes: checksum.add(bytes: raw(index))
            case .null: checksum.addNull()
            }
        }
        return Int64(bitPattern: checksum.value) == integer(column)
    }
}
