/// The header of a D-Bus message, and the known part of its body; D-Bus specification, “Message Format”.
package struct WireMessage: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case methodCall = 1
        case methodReturn, error, signal
    }

    package let kind: Kind
    package let serial: UInt32
    package private(set) var path: String?
    package private(set) var interface: String?
    package private(set) var member: String?
    package private(set) var errorName: String?
    package private(set) var replySerial: UInt32?
    package private(set) var destination: String?
    package private(set) var sender: String?
    /// The body's signature; empty if there is no body.
    package private(set) var signature = ""
    /// The body, or its beginning.
    package let body: [UInt8]

    /// The number of bytes of the fixed part of a header.
    static let fixedLength = 16

    /// The length of the whole message, from the fixed part of its header; `nil` if this is not a valid header.
    static func length(fixedHeader bytes: some Collection<UInt8>) -> Int? {
        let bytes = Array(bytes.prefix(fixedLength))
        guard bytes.count == fixedLength, bytes[0] == UInt8(ascii: "l") || bytes[0] == UInt8(ascii: "B"),
            Kind(rawValue: bytes[1]) != nil, bytes[3] == 1
        else { return nil }
        let reader = WireReader(bytes: bytes, isLittleEndian: bytes[0] == UInt8(ascii: "l"))
        let (body, fields) = (reader.number(at: 4), reader.number(at: 12))
        // “The maximum length of a message … is 2 to the 27th power”
        let length = fixedLength + (Int(fields) + 7) / 8 * 8 + Int(body)
        return length <= 1 << 27 ? length : nil
    }

    /// Reads a message that contains at least the fixed part of the header.
    init?(_ bytes: [UInt8]) {
        guard Self.length(fixedHeader: bytes) != nil, let kind = Kind(rawValue: bytes[1]) else { return nil }
        var reader = WireReader(bytes: bytes, isLittleEndian: bytes[0] == UInt8(ascii: "l"))
        self.kind = kind
        serial = reader.number(at: 8)
        let end = Self.fixedLength + Int(reader.number(at: 12))
        body = Array(bytes.dropFirst((end + 7) / 8 * 8))
        reader.position = Self.fixedLength
        while reader.position < end, let field = reader.field() { take(field) }
    }

    private mutating func take(_ field: WireReader.Field) {
        switch (field.code, field.value) {
        case (1, .text(let text)): path = text
        case (2, .text(let text)): interface = text
        case (3, .text(let text)): member = text
        case (4, .text(let text)): errorName = text
        case (5, .number(let number)): replySerial = number
        case (6, .text(let text)): destination = text
        case (7, .text(let text)): sender = text
        case (8, .text(let text)): signature = text
        default: break
        }
    }
}

/// Reads header fields, which contain only strings, signatures and 32-bit numbers.
private struct WireReader {
    enum Value {
        case text(String)
        case number(UInt32)
    }

    struct Field {
        let code: UInt8
        let value: Value
    }

    let bytes: [UInt8]
    let isLittleEndian: Bool
    var position = 0

    /// The 32-bit number that starts at an index; 0 if the bytes end before it does.
    func number(at index: Int) -> UInt32 {
        guard index + 4 <= bytes.count else { return 0 }
        let four = bytes[index..<(index + 4)]
        return (isLittleEndian ? Array(four.reversed()) : Array(four)).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The next element of the array of fields: a byte and a variant, aligned to 8. `nil` if the bytes end within it.
    mutating func field() -> Field? {
        position = (position + 7) / 8 * 8
        // A field has at least four bytes: its code, the length of the signature (1), the signature, and a NUL.
        guard position + 4 <= bytes.count else { return nil }
        let (code, type) = (bytes[position], bytes[position + 2])
        position += 4
        switch type {
        case UInt8(ascii: "u"):
            guard position + 4 <= bytes.count else { return nil }
            defer { position += 4 }
            return Field(code: code, value: .number(number(at: position)))
        case UInt8(ascii: "s"), UInt8(ascii: "o"):
            let count = Int(number(at: position))
            position += 4
            return text(code, count)
        case UInt8(ascii: "g"):
            guard position < bytes.count else { return nil }
            let count = Int(bytes[position])
            position += 1
            return text(code, count)
        default: return nil
        }
    }

    private mutating func text(_ code: UInt8, _ count: Int) -> Field? {
        guard position + count < bytes.count else { return nil }
        defer { position += count + 1 }
        return Field(code: code, value: .text(String(decoding: bytes[position..<(position + count)], as: UTF8.self)))
    }
}
