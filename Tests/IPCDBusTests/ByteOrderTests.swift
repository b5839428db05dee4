import IPCDBusOracle
import Testing

@testable import IPCDBus

/// Messages from machines with either byte order.
struct ByteOrderTests {
    private static let values: [Value] = [
        .byte(254), .boolean(true), .int16(-2), .uint16(0x0102), .int32(-3), .uint32(0x0102_0304), .int64(-4),
        .uint64(0x0102_0304_0506_0708), .double(-1.5), .string("日本語"), .objectPath("/a/b"), .signature("a{sv}"),
        .bytes([1, 2, 3]), .array(of: "q", [.uint16(1), .uint16(0x0200)]),
        .dictionary(key: "s", value: "v", [.init(.string("k"), .variant(.uint32(9)))]),
        .structure([.byte(1), .uint64(2)]), .array(of: "(yt)", []), .variant(.variant(.int16(-5))),
    ]
    private static let signature = "ybnqiuxtdsogayaqa{sv}(yt)a(yt)v"

    /// The bytes of ``values``, written by hand.
    private static func body(_ isBigEndian: Bool) -> [UInt8] {
        var body = WireBytes(isBigEndian: isBigEndian)
        body.raw([254])
        body.number(UInt32(1))
        body.number(Int16(-2))
        body.number(UInt16(0x0102))
        body.number(Int32(-3))
        body.number(UInt32(0x0102_0304))
        body.number(Int64(-4))
        body.number(UInt64(0x0102_0304_0506_0708))
        body.number((-1.5).bitPattern)
        body.text("日本語")
        body.text("/a/b")
        body.signature("a{sv}")
        body.number(UInt32(3))
        body.raw([1, 2, 3])
        body.number(UInt32(4))
        body.number(UInt16(1))
        body.number(UInt16(0x0200))
        // A dictionary entry of 16 bytes: the length of the key (4), "k" and NUL, a signature (3), padding up to byte
        // 12, and a number.
        body.number(UInt32(16))
        body.align()
        body.text("k")
        body.signature("u")
        body.number(UInt32(9))
        body.align()
        body.raw([1])
        body.number(UInt64(2))
        body.number(UInt32(0))
        body.align()
        body.signature("v")
        body.signature("n")
        body.number(Int16(-5))
        return body.bytes
    }

    @Test(arguments: [false, true])
    func allKindsOfValuesAreRead(isBigEndian: Bool) throws {
        let message = try Message.received(
            WireBytes.message(isBigEndian: isBigEndian, signature: Self.signature, body: Self.body(isBigEndian)))
        try message.checkArguments()
        #expect(try message.values() == Self.values)
        #expect(message.serial == 7 && message.sender?.text == ":1.7" && message.interface == "a.b")
    }

    @Test func theOrdersDiffer() {
        #expect(Self.body(false) != Self.body(true))
        #expect(Self.body(true).suffix(2) == [0xff, 0xfb])
    }

    @Test(arguments: [false, true])
    func anAnswerNamesItsCall(isBigEndian: Bool) throws {
        let bytes = WireBytes.message(isBigEndian: isBigEndian, kind: 3, signature: "s", body: []) {
            $0.field(4, "s") { $0.text("a.b.Error") }
            $0.field(5, "u") { $0.number(UInt32(0x0102_0304)) }
        }
        // The header announces a string, but the message has no arguments.
        let message = try Message.received(bytes)
        #expect(message.kind == .error && message.replySerial == 0x0102_0304 && message.errorName == "a.b.Error")
        #expect(message.errorText == "")
    }

    @Test(arguments: [false, true])
    func unknownHeaderFieldsAreSkipped(isBigEndian: Bool) throws {
        let bytes = WireBytes.message(isBigEndian: isBigEndian, signature: "y", body: [5]) {
            $0.field(200, "(sv)") {
                $0.align()
                $0.text("what")
                $0.signature("ay")
                $0.number(UInt32(3))
                $0.raw([1, 2, 3])
            }
            $0.field(6, "s") { $0.text("org.example.After") }
        }
        #expect(try Message.received(bytes).values() == [.byte(5)])
    }

    @Test func anInvalidUnknownFieldIsRejected() {
        let bytes = WireBytes.message(signature: "y", body: [5]) { $0.field(200, "b") { $0.number(UInt32(2)) } }
        #expect(throws: MessageError.malformed("a Boolean value must be 0 or 1, not 2")) { try Message.received(bytes) }
    }

    /// A message that IPCDBus writes has the same bytes as one written by hand, so other implementations can read it.
    @Test func aMessageIsWrittenAsItWasReadByHand() throws {
        let message = try Message.signal(
            path: "/a", interface: "a.b", member: "M", to: nil, signature: "sat"
        ) { (writer) throws(MessageError) in
            try "x".write(to: &writer)
            try [UInt64(1)].write(to: &writer)
        }
        message.setSerial(7)
        var body = WireBytes()
        body.text("x")
        body.number(UInt32(8))
        body.number(UInt64(1))
        let bytes = WireBytes.message(signature: "sat", body: body.bytes)
        let other = try Message.received(bytes)
        #expect(try message.values() == other.values())
        #expect(Array(message.bytes[message.bodyStart...]) == body.bytes)
    }

    @Test(arguments: Values.all)
    func everyValueSurvivesARoundTrip(_ value: Value) throws {
        #expect(try Value(marshalled: value.marshalled()) == value)
    }
}
