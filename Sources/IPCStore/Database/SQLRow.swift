internal import CSQLite

/// One row of a running statement, valid until the next step.
struct SQLRow {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    var columnCount: Int32 { sqlite3_column_count(handle) }

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

    /// The value of a column, copied.
    func value(_ column: Int32) -> SQLValue {
        switch type(column) {
        case .null: .null
        case .integer: .integer(integer(column))
        case .text: .text(text(column))
        case .bytes: .bytes(bytes(column))
        }
    }

    /// The values of all columns, copied.
    var values: [SQLValue] { (0..<columnCount).map(value) }

    /// The greatest number that a column of an intact row has, but for the key of a representation: sums of such numbers
    /// overflow nowhere. The store hands out no count, id or time above 2^43, and no size above 2^50.
    static let greatest: Int64 = 1 << 53

    /// Whether the columns before `column` have the checksum that stands in it, and no number or text that the store never
    /// writes: a checksum can be made for any content. Nothing that is read may end the process, and no message can carry a
    /// text with U+0000.
    func isIntact(_ domain: Checksum.Domain, checksum column: Int32) -> Bool {
        var checksum = Checksum(domain: domain)
        for index in 0..<column {
            switch type(index) {
            case .integer:
                let number = integer(index)
                guard number >= -1, number <= Self.greatest || domain == .representation && index == 0 else {
                    return false
                }
                if number == -1, !(domain == .openRequest && index == 13) { return false }
                checksum.add(number)
            case .text:
                let text = raw(index)
                guard !text.contains(0) else { return false }
                checksum.add(text: text)
            case .bytes: checksum.add(bytes: raw(index))
            case .null: checksum.addNull()
            }
        }
        return Int64(bitPattern: checksum.value) == integer(column)
    }
}
