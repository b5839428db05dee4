internal import CXXHash

/// The checksum of a row's columns: XXH3-64, where the result for each column is the seed for the next. SQLite does not
/// checksum content, so a flipped bit would go unnoticed. The first seed depends on the table, and the key is one of
/// the columns, so a row that ends up in another table or under another key fails the check.
struct Checksum {
    private(set) var value: UInt64

    init(domain: Domain) { value = domain.rawValue &* 0x9E37_79B9_7F4A_7C15 }

    /// Marks the type of a column, so that text and a number that consist of the same bytes have different checksums.
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

    /// The tables whose rows have checksums. Each has its own number, which must never be reused.
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
        case unusedContent = 13
    }

    static func of(_ columns: [SQLValue], first count: Int? = nil, in domain: Domain) -> SQLValue {
        var checksum = Checksum(domain: domain)
        for index in 0..<(count ?? columns.count) { checksum.add(columns[index]) }
        return .integer(Int64(bitPattern: checksum.value))
    }
}
