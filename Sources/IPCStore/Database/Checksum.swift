internal import CXXHash

/// The checksum over the columns of one row: XXH3-64, each column hashed with the result of the one before as seed.
///
/// SQLite has no checksum of content, so a flipped bit would come back as good data. The domain of a table is the
/// first seed: a row that turns up in another table does not pass. The key is among the columns: a row that turns up
/// under another key does not pass either.
struct Checksum {
    private(set) var value: UInt64

    init(domain: Domain) {
        value = domain.rawValue &* 0x9E37_79B9_7F4A_7C15
    }

    /// What marks the kind of a column, so that no text passes for bytes and no number for either.
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

    mutating func addNull() {
        value = XXH3_64bits_withSeed(nil, 0, value ^ Mark.null.rawValue)
    }

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
}

extension Checksum {
    /// The tables, each with a number of its own that is never given to another.
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

    /// The checksum of a row as SQLite stores it.
    static func of(_ columns: [SQLValue], in domain: Domain) -> SQLValue {
        of(columns, first: columns.count, in: domain)
    }

    /// The checksum over the first columns of a row.
    static func of(_ columns: [SQLValue], first count: Int, in domain: Domain) -> SQLValue {
        var checksum = Checksum(domain: domain)
        for index in 0..<count { checksum.add(columns[index]) }
        return .integer(Int64(bitPattern: checksum.value))
    }
}
