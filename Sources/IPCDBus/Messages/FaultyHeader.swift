internal import Glibc

extension MessageHeader {
    /// Reads what can be read of a header that breaks the protocol: enough to refuse a call, to end the call that a message
    /// answers, and to find the descriptors.
    /// - Parameter bytes: a message whose frame is right, or its header.
    init(faulty bytes: UnsafeRawBufferPointer) {
        self.init()
        isBigEndian = bytes[0] == Self.bigEndian
        (kind, flags) = (bytes[1], bytes[2])
        serial = Self.number(bytes, 8, isBigEndian)
        let end = min(bytes.count, Self.fixedLength + Int(Self.number(bytes, 12, isBigEndian)))
        var at = Self.fixedLength
        while let field = FaultyField(bytes, at: at, end: end, isBigEndian) {
            note(field)
            at = (field.end + 7) & ~7
        }
    }

    private mutating func note(_ field: FaultyField) {
        switch (Field(rawValue: field.number), field.value) {
        case (.replySerial, .number(let number)): replySerial = number
        case (.sender, .text(let text)): sender = (try? BusName(text))?.text
        case (.descriptorCount, .number(let number)): descriptorCount = Int(number)
        default: return
        }
    }
}

/// A field whose type is one of those that known fields have, whatever its content is.
private struct FaultyField {
    enum Value {
        case text(String)
        case number(UInt32)
    }

    let number: UInt8
    let value: Value
    let end: Int

    /// - Returns: `nil` at the end, and if the end of the field cannot be found.
    init?(_ bytes: UnsafeRawBufferPointer, at: Int, end last: Int, _ isBigEndian: Bool) {
        guard at + 6 <= last, bytes[at + 1] == 1, bytes[at + 3] == 0 else { return nil }
        number = bytes[at]
        let isSignature = bytes[at + 2] == UInt8(ascii: "g")
        guard isSignature || at + 8 <= last else { return nil }
        let length = isSignature ? Int(bytes[at + 4]) : Int(MessageHeader.number(bytes, at + 4, isBigEndian))
        switch bytes[at + 2] {
        case UInt8(ascii: "u"): (value, end) = (.number(UInt32(truncatingIfNeeded: length)), at + 8)
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
            let start = at + (isSignature ? 5 : 8)
            guard length < last - start else { return nil }
            value = .text(String(decoding: bytes[start..<(start + length)], as: UTF8.self))
            end = start + length + 1
        default: return nil
        }
    }
}
