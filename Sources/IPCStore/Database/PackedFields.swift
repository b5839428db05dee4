/// Numbers, texts and values one behind the other: numbers have eight bytes, lowest first, and texts and values their
/// length before them.
struct PackedFields {
    private var rest: ArraySlice<UInt8>

    /// Reads what was packed by the methods of `[UInt8]` below.
    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// How many bytes are left.
    var count: Int { rest.count }

    /// The next number; nil where no more bytes are there.
    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        rest = rest.dropFirst(8)
        return number
    }

    /// The next value; nil where fewer bytes are there than its length says.
    mutating func field() -> ArraySlice<UInt8>? {
        guard let count = number(), count <= UInt64(rest.count) else { return nil }
        let field = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return field
    }

    /// The next text.
    mutating func text() -> String? { field().map { String(decoding: $0, as: UTF8.self) } }
}

extension [UInt8] {
    mutating func append(number: UInt64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append(field: String) {
        var field = field
        field.withUTF8 { utf8 in
            append(number: UInt64(utf8.count))
            append(contentsOf: utf8)
        }
    }

    mutating func append(field: [UInt8]) {
        append(number: UInt64(field.count))
        append(contentsOf: field)
    }
}
