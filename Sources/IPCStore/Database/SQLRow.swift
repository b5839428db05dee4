internal import CSQLite

/// One row of a running statement, valid until the next step.
struct SQLRow {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String { String(decoding: raw(column), as: UTF8.self) }

    func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }

    /// The bytes of a string or blob, valid only as long as the row is.
    func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    func value(_ column: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .bytes(bytes(column))
        default: .null
        }
    }

    var values: [SQLValue] { (0..<columnCount).map(value) }

    /// The greatest number that an intact row may contain, so that no sum of such numbers overflows. Only the key of a
    /// representation may be greater. The store writes no count, id or time above 2^43, and no size above 2^50.
    static let greatest: Int64 = 1 << 53

    /// Whether the columns before `column` match the checksum in `column`, and contain only numbers and strings that
    /// the store can write. Other values are rejected even with a correct checksum: no row may crash the process, and
    /// no message can carry a string with U+0000.
    func isIntact(_ domain: Checksum.Domain, checksum column: Int32) -> Bool {
        var checksum = Checksum(domain: domain)
        for index in 0..<column {
            switch sqlite3_column_type(handle, index) {
            case SQLITE_INTEGER:
                let number = integer(index)
                guard number >= -1, number <= Self.greatest || domain == .representation && index == 0 else {
                    return false
                }
                if number == -1, !(domain == .openRequest && index == 13) { return false }
                checksum.add(number)
            case SQLITE_TEXT:
                let text = raw(index)
                guard !text.contains(0) else { return false }
                checksum.add(text: text)
            case SQLITE_BLOB: checksum.add(bytes: raw(index))
            default: checksum.addNull()
            }
        }
        return Int64(bitPattern: checksum.value) == integer(column)
    }
}
