import IPCDBus
import Testing

/// Values that are converted to bytes and back.
struct MarshallingTests {
    private static let values: [Value] = [
        .string(""), .string("日本語 😀\u{301}"), .uint64(.max), .double(-0.0), .bytes([0, 255]),
        .structure([.string("a"), .array(of: "t", [.uint64(1), .uint64(2)])]),
        .dictionary(key: "s", value: "v", []),
    ]

    @Test(arguments: values)
    func aValueSurvivesARoundTrip(value: Value) throws {
        let bytes = try value.marshalled()
        #expect(try Value(marshalled: bytes) == value)
    }

    @Test func invalidBytesAreRejected() throws {
        let bytes = try Value.string("hello").marshalled()
        #expect(throws: MessageError.self) { try Value(marshalled: []) }
        for count in 0..<bytes.count {
            #expect(throws: MessageError.self) { try Value(marshalled: Array(bytes[..<count])) }
        }
        #expect(throws: MessageError.self) { try String(marshalled: try UInt32(7).marshalled()) }
    }

    @Test func flippedBitsAreRejectedOrDecoded() throws {
        let bytes = try Value.structure([.string("hello"), .uint64(5), .bytes([1, 2, 3])]).marshalled()
        for place in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[place / 8] ^= 1 << (place % 8)
            _ = try? Value(marshalled: damaged)
        }
    }
}
