/// What a column of a row holds.
enum SQLValue {
    case null
    case integer(Int64)
    /// A text that SQLite compares and shows as text.
    case text(String)
    /// The UTF-8 of a text, stored as bytes: it may hold U+0000.
    case textBytes(String)
    case bytes([UInt8])

    /// A count, an id or a time. The store hands out none above 2^43, so that all of them fit SQLite's signed numbers.
    static func number(_ number: UInt64) -> SQLValue { .integer(Int64(bitPattern: number)) }

    static func number(_ number: Int) -> SQLValue { .integer(Int64(number)) }

    static func number(_ number: UInt64?) -> SQLValue { number.map { .number($0) } ?? .null }

    static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    static func bytes(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }
}
