internal import CXXHash

/// The checksum over the columns of a row: XXH3-64, with the result of each column as the seed of the next.
///
/// SQLite has no checksum of content, so that a flipped bit would pass for good data. The domain of a table is the first
/// seed, and the key is among the columns, so that a row in another table or with another key does not pass.
struct Checksum {
    private(set) var value: UInt64

    init(domain: Domain) { value = domain.rawValue &* 0x9E37_79B9_7F4A_7C15 }

    /// Marks the kind of a column, so that no text passes for bytes, and no number for either.
    private enum Mark: UInt64 {
        case null = 0x6A09_E667_F3BC_C908
        case integer = 0xBB67_AE85_84CA_A73B
        case text = 0x3C6E_F372_FE94_F82B
        case bytes = 0xA54F_F53A_5F1D_36F1
    }

    mutating func add(_ column: SQLValue) {
        switch column {
        case .null: addNull()
        case .integer(let number): add(number)
        case .text(var text): text.withUTF8 { add(text: UnsafeRawBufferPointer($0)) }
        case .textBytes(var text): text.withUTF8 { add(bytes: UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): bytes.withUnsafeBytes { add(bytes: $0) }
        }
    }

    mutating func addNull() { value = XXH3_64bits_withSeed(nil, 0, value ^ Mark.null.rawValue) }

    mutating func add(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes in
            value = XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value ^ Mark.integer.rawValue)
        }
    }

    mutating func add(text: UnsafeRawBufferPointer) {
        value = XXH3_64bits_withSeed(text.baseAddress, text.count, value ^ Mark.text.rawValue)
    }

    mutating func add(bytes: UnsafeRawBufferPointer) {
        value = XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, value ^ Mark.bytes.rawValue)
    }

    /// The tables. A number is never used again.
    enum Domain: UInt64 {
        case reservation = 1
        case pasteboard = 2
        case version = 3
        case representation = 4
        case removal = 5
        case operation = 6
        case openRequest = 7
        case schemeClaim = 8
        case schemeDefault = 9
        case usage = 10
        case policy = 11
        case liveClaim = 12
    }

    static func of(_ columns: [SQLValue], first count: Int? = nil, in domain: Domain) -> SQLValue {
        var checksum = Checksum(domain: domain)
        for index in 0..<(count ?? columns.count) { checksum.add(columns[index]) }
        return .integer(Int64(bitPattern: checksum.value))
    }
}
