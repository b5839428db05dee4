/// Reads packed values: 8-byte numbers, lowest byte first, and strings and bytes, each preceded by its length.
struct PackedFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }
    /// The number of bytes left.
    var count: Int { rest.count }

    /// The next number; `nil` if fewer than 8 bytes are left.
    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        rest = rest.dropFirst(8)
        return number
    }

    /// The bytes of the next string or byte value; `nil` if it is incomplete.
    mutating func field() -> ArraySlice<UInt8>? {
        guard let count = number(), count <= UInt64(rest.count) else { return nil }
        let field = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return field
    }

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
