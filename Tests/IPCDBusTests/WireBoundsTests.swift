import Testing

@testable import IPCDBus

/// Limits are checked against the lengths in a message, before any of it is decoded.
struct WireBoundsTests {
    private static let bounds = WireBounds(limits: ["note-bytes": 1_000], texts: 10, named: "names-per-call")

    private func message<Content: DBusCodable>(_ content: Content, bounds: WireBounds? = bounds) throws -> Message {
        // A signal has no attachments, so that it can be read.
        let message = try Message.signal(
            path: "/a", interface: "org.example.A", member: "B", to: nil, signature: Content.dbusSignature.text
        ) { (writer) throws(MessageError) in try content.write(to: &writer) }
        message.bounds = bounds
        return message
    }

    private func read<Content: DBusCodable>(
        _ content: Content, bounds: WireBounds? = bounds
    ) throws -> Content {
        let message = try message(content, bounds: bounds)
        var reader = MessageReader(message)
        return try Content(from: &reader)
    }

    @Test(arguments: [0, 1, 10]) func `an array of strings within its limit is accepted`(count: Int) throws {
        let texts = Array(repeating: "name", count: count)
        #expect(try read(texts) == texts)
        #expect(try read([Array(texts.dropLast(2))]) == [Array(texts.dropLast(2))])
    }

    @Test func `an array of strings beyond its limit is rejected, also in nested arrays`() throws {
        let beyond = MessageError.beyondLimit("names-per-call", asked: 11, allowed: 10)
        #expect(throws: beyond) { try read(Array(repeating: "", count: 11)) }
        #expect(throws: beyond) { try read(Array(repeating: [String](), count: 12)) }
        #expect(throws: beyond) { try read([Array(repeating: "", count: 12)]) }
        // The control: a receiver without bounds reads all 11 strings.
        #expect(try read(Array(repeating: "", count: 11), bounds: nil).count == 11)
    }

    @Test(arguments: [(980, true), (1_000, true), (1_001, false), (100_000, false)])
    func `the counted bytes of a value match the wire`(count: Int, fits: Bool) throws {
        let message = try message(Value.bytes([UInt8](repeating: 1, count: count)))
        let reader = MessageReader(message)
        // The variant's signature and the array's length, 8 bytes together, precede the content.
        #expect(try reader.nextLength == 8 + count)
        let check = { try reader.checkNextBytes("note-bytes", slack: 8) }
        if fits {
            try check()
        } else {
            #expect(throws: MessageError.beyondLimit("note-bytes", asked: UInt64(count), allowed: 1_000)) {
                try check()
            }
        }
        try reader.checkNextBytes("no-such-limit", slack: 0)
    }

    @Test func `a probe does not move the reader`() throws {
        let message = try message(["a", "b"])
        var reader = MessageReader(message)
        let length = try reader.nextLength
        try reader.checkNextElements("names-per-call", 2)
        #expect(try reader.nextLength == length)
        #expect(try [String](from: &reader) == ["a", "b"])
    }
}
