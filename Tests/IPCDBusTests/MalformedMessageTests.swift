import IPCDBusOracle
import Testing

@testable import IPCDBus

/// Messages that break the protocol are rejected, each for its own reason.
struct MalformedMessageTests {
    /// A call with the arguments `true`, `"hi"`, `[1, 2]`, descriptor 0 and a variant with the byte 7.
    private static let right: [UInt8] =
        [108, 1, 0, 1, 32, 0, 0, 0, 7, 0, 0, 0, 56, 0, 0, 0]  // 0
        + [1, 1, 111, 0, 2, 0, 0, 0, 47, 97, 0, 0, 0, 0, 0, 0]  // 16: the path /a
        + [3, 1, 115, 0, 1, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0]  // 32: the member M
        + [8, 1, 103, 0, 6, 98, 115, 97, 117, 104, 118, 0, 0, 0, 0, 0]  // 48: the signature bsauhv
        + [9, 1, 117, 0, 1, 0, 0, 0]  // 64: one descriptor
        + [1, 0, 0, 0, 2, 0, 0, 0, 104, 105, 0, 0]  // 72: b, s
        + [8, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]  // 84: au
        + [0, 0, 0, 0, 1, 121, 0, 7]  // 96: h, v

    private static func descriptors() throws -> [Descriptor] { [try #require(Descriptor(duplicating: 0))] }

    @Test func theUnmodifiedMessageIsValid() throws {
        let message = try Message.received(Self.right, descriptors: try Self.descriptors())
        try message.checkArguments()
        #expect(message.path == "/a" && message.member == "M" && message.signature == "bsauhv")
        let values = try message.values()
        #expect(values.prefix(3) == [.boolean(true), .string("hi"), .array(of: "u", [.uint32(1), .uint32(2)])])
        #expect(values.last == .variant(.byte(7)))
    }

    struct Edit: CustomTestStringConvertible {
        let place: Int
        let bytes: [UInt8]
        let error: MessageError
        var testDescription: String { "\(bytes) at \(place)" }

        init(_ place: Int, _ bytes: [UInt8], _ error: MessageError) {
            (self.place, self.bytes, self.error) = (place, bytes, error)
        }
        init(_ place: Int, _ bytes: [UInt8], _ reason: String) { self.init(place, bytes, .malformed(reason)) }
    }

    private static let noEnd = "a header field extends past the end of the header"
    private static let otherType = "a header field has the wrong type"
    private static let longText = "a string in a header extends past the end of the header"
    private static let wrongText = "a header field has an invalid value"
    private static let lacks = "a header lacks a field that its message type requires"
    private static let betweenFields = "the padding between two header fields is not zero"

    static let headers: [Edit] = [
        Edit(0, [120], "this is not a message: its byte order is unknown"),
        Edit(1, [0], lacks),
        Edit(3, [2], "version 2 of the protocol is unknown"),
        Edit(4, [33], "a message ends too early"),
        Edit(4, [255, 255, 255, 255], "a message is too long"),
        Edit(4, [0, 0, 0, 8], .messageTooLong(bytes: (128 << 20) + 72)),
        Edit(8, [0], lacks),
        Edit(12, [255, 255, 255, 255], "a message is too long"),
        Edit(12, [55], noEnd),
        Edit(12, [53], noEnd),
        Edit(16, [0], "a header field has the number 0"),
        // The path's field gets the unknown number 10 and is skipped, so the call lacks its path.
        Edit(16, [10], lacks),
        Edit(17, [2], otherType),
        Edit(18, [115], otherType),
        Edit(19, [1], otherType),
        Edit(20, [255, 255, 255, 255], longText),
        Edit(20, [255, 255, 255, 127], longText),
        Edit(24, [97], wrongText),
        Edit(25, [45], wrongText),
        Edit(26, [1], longText),
        Edit(27, [1], betweenFields),
        Edit(32, [2], wrongText),
        Edit(32, [1, 1, 111, 0, 1, 0, 0, 0, 47], "a header field appears twice"),
        Edit(40, [255], wrongText),
        Edit(40, [0], wrongText),
        Edit(52, [255], longText),
        Edit(52, [7], wrongText),
        Edit(53, [122], wrongText),
        Edit(57, [97, 97], wrongText),
        Edit(59, [1], longText),
        Edit(68, [2], "a message refers to more file descriptors than it carries"),
        Edit(68, [255, 255, 255, 255], "a message refers to more file descriptors than it carries"),
    ]

    @Test(arguments: headers)
    func anInvalidHeaderIsRejected(_ edit: Edit) throws {
        var bytes = Self.right
        bytes.replaceSubrange(edit.place..<(edit.place + edit.bytes.count), with: edit.bytes)
        let descriptors = try Self.descriptors()
        #expect(throws: edit.error) { try Message.received(bytes, descriptors: descriptors) }
    }

    private static let longValue = "a value extends past the end of its container"
    private static let wrongString = "a string is not UTF-8, or contains a NUL character"
    private static let between = "the padding between two values is not zero"

    static let arguments: [Edit] = [
        Edit(72, [2], "a Boolean value must be 0 or 1, not 2"),
        Edit(75, [1], "a Boolean value must be 0 or 1, not 16777217"),
        Edit(76, [255, 255, 255, 255], longValue),
        Edit(76, [24], longValue),
        Edit(80, [0], wrongString),
        Edit(81, [255], wrongString),
        Edit(82, [1], wrongString),
        Edit(83, [1], between),
        Edit(84, [9], longValue),
        Edit(84, [17], longValue),
        Edit(84, [255, 255, 255, 255], .arrayTooLong(bytes: 4_294_967_295)),
        Edit(96, [1], "the message has no descriptor with the index 1"),
        Edit(96, [255, 255, 255, 255], "the message has no descriptor with the index 4294967295"),
        Edit(100, [2], "a signature extends past the end of its container"),
        Edit(100, [255], "a signature extends past the end of its container"),
        Edit(100, [0, 0], .invalidSignature("")),
        Edit(101, [122], .invalidSignature("z")),
        Edit(101, [123], .invalidSignature("{")),
        Edit(101, [117], between),
        Edit(101, [115], between),
        Edit(101, [103], longValue),
    ]

    @Test(arguments: arguments)
    func invalidArgumentsAreRejected(_ edit: Edit) throws {
        var bytes = Self.right
        bytes.replaceSubrange(edit.place..<(edit.place + edit.bytes.count), with: edit.bytes)
        let message = try Message.received(bytes, descriptors: try Self.descriptors())
        #expect(throws: edit.error) { try message.checkArguments() }
        #expect(throws: edit.error) { try message.values() }
    }

    struct Body: CustomTestStringConvertible {
        let signature: String
        let bytes: [UInt8]
        let error: MessageError
        var testDescription: String { "\(signature) \(bytes.prefix(16))" }
    }

    static let bodies: [Body] = [
        Body(signature: "", bytes: [0], error: .malformed("a message has bytes after its last argument")),
        Body(signature: "y", bytes: [0, 0], error: .malformed("a message has bytes after its last argument")),
        Body(signature: "y", bytes: [], error: .malformed(longValue)),
        Body(signature: "v", bytes: [2, 121, 121, 0, 1, 2], error: .invalidSignature("yy")),
        Body(
            signature: "v", bytes: [4, 123, 121, 121, 125, 0, 0, 0, 1, 2], error: .invalidSignature("{yy}")),
        // Even an empty array has the padding before its first element.
        Body(signature: "at", bytes: [0, 0, 0, 0], error: .malformed(between)),
        Body(signature: "at", bytes: [8, 0, 0, 0, 0, 0, 0, 0], error: .malformed(longValue)),
        Body(
            signature: "a(yy)", bytes: [9, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1],
            error: .malformed(longValue)),
        Body(signature: "o", bytes: [1, 0, 0, 0, 97, 0], error: .malformed("“a” is not an object path")),
        Body(signature: "g", bytes: [1, 97, 0], error: .invalidSignature("a")),
        Body(
            signature: "v", bytes: Array([[UInt8]](repeating: [1, 118, 0], count: 64).joined()) + [1, 121, 0, 1],
            error: .tooDeep),
    ]

    @Test(arguments: bodies)
    func invalidBodiesAreRejected(_ body: Body) throws {
        let message = try Message.received(WireBytes.message(signature: body.signature, body: body.bytes))
        #expect(throws: body.error) { try message.checkArguments() }
        #expect(throws: body.error) { try message.values() }
    }

    @Test func theMaximumDepthIsAccepted() throws {
        let nested = Array([[UInt8]](repeating: [1, 118, 0], count: 63).joined()) + [1, 121, 0, 1]
        let message = try Message.received(WireBytes.message(signature: "v", body: nested))
        try message.checkArguments()
        #expect(try message.values() == [(0..<64).reduce(Value.byte(1)) { value, _ in .variant(value) }])
    }

    @Test(arguments: [
        "a", "(", ")", "()", "(y", "a{vs}", "{sv}", "a{s}", "a{sv", "a{svv}", "Y", "a()",
        String(repeating: "a", count: 33) + "y",
        String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
    ])
    func anInvalidSignatureIsRejected(_ signature: String) {
        #expect(throws: MessageError.malformed(Self.wrongText)) {
            try Message.received(WireBytes.message(signature: signature, body: []))
        }
    }

    @Test(arguments: [
        String(repeating: "a", count: 32) + "y",
        String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32),
    ])
    func theDeepestSignaturesAreAccepted(_ signature: String) throws {
        #expect(try Message.received(WireBytes.message(signature: signature, body: [])).signature == signature)
    }

    @Test func noPrefixOfAMessageIsAMessage() {
        for count in 0..<Self.right.count {
            #expect(throws: MessageError.self) { try Message.received(Array(Self.right[..<count])) }
        }
    }
}
