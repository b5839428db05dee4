enum SQLValue {
    case null
    case integer(Int64)
    case text(String)
    /// Text that is stored as a blob of UTF-8, because it may contain U+0000.
    case textBytes(String)
    case bytes([UInt8])

    /// A count, an id or a time. It is at most 2^43, so it fits SQLite's signed numbers.
    static func number(_ number: UInt64) -> SQLValue { .integer(Int64(bitPattern: number)) }

    static func number(_ number: Int) -> SQLValue { .integer(Int64(number)) }

    static func number(_ number: UInt64?) -> SQLValue { number.map { .number($0) } ?? .null }

    static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    static func bytes(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }
}
