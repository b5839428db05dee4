internal import Glibc

@testable import IPCDBus

/// Bytes as another program would write them, in either byte order (D-Bus specification, "Marshaling").
struct WireBytes {
    let isBigEndian: Bool
    private(set) var bytes: [UInt8] = []

    init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

    mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        while bytes.count % MemoryLayout<Number>.size != 0 { bytes.append(0) }
        let lowestFirst = (0..<MemoryLayout<Number>.size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        bytes += isBigEndian ? lowestFirst.reversed() : lowestFirst
    }

    mutating func align() { while bytes.count % 8 != 0 { bytes.append(0) } }

    mutating func text(_ value: String) {
        number(UInt32(value.utf8.count))
        bytes += Array(value.utf8) + [0]
    }

    mutating func signature(_ value: String) { bytes += [UInt8(value.utf8.count)] + Array(value.utf8) + [0] }

    mutating func raw(_ value: [UInt8]) { bytes += value }

    /// A header field; `write` appends its value.
    mutating func field(_ code: UInt8, _ type: String, _ write: (inout WireBytes) -> Void) {
        align()
        bytes.append(code)
        signature(type)
        write(&self)
    }

    /// A signal from `:1.7`, or any other message with the given fields.
    static func message(
        isBigEndian: Bool = false, kind: UInt8 = 4, signature: String, body: [UInt8],
        fields: (inout WireBytes) -> Void = { _ in }
    ) -> [UInt8] {
        var message = WireBytes(isBigEndian: isBigEndian)
        message.raw([UInt8(ascii: isBigEndian ? "B" : "l"), kind, 0, 1])
        message.number(UInt32(body.count))
        message.number(UInt32(7))
        message.number(UInt32(0))
        message.field(1, "o") { $0.text("/a") }
        message.field(2, "s") { $0.text("a.b") }
        message.field(3, "s") { $0.text("M") }
        message.field(7, "s") { $0.text(":1.7") }
        if !signature.isEmpty { message.field(8, "g") { $0.signature(signature) } }
        fields(&message)
        var length = WireBytes(isBigEndian: isBigEndian)
        length.number(UInt32(message.bytes.count - 16))
        message.bytes.replaceSubrange(12..<16, with: length.bytes)
        message.align()
        return message.bytes + body
    }
}

extension Message {
    /// A message that was received as these bytes.
    static func received(_ bytes: [UInt8], descriptors: [Descriptor] = []) throws(MessageError) -> Message {
        guard let copy = malloc(max(1, bytes.count)) else { throw .outOfMemory }
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(copy, start, $0.count) } }
        return try Message(
            received: UnsafeMutableRawBufferPointer(start: copy, count: bytes.count), descriptors: descriptors)
    }

    /// All arguments, whatever their types.
    func values() throws(MessageError) -> [Value] {
        var reader = MessageReader(self)
        var values: [Value] = []
        while !reader.isAtEnd { values.append(try Value(reading: &reader)) }
        try reader.finish()
        return values
    }
}
