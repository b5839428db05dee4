import IPCDBusOracle
import IPCTesting
import Testing

@testable import IPCDBus

/// libdbus, the reference implementation, as a second opinion on every message.
struct OracleTests {
    @Test func `both parsers accept and reject the same messages and read the same values`() {
        let seed = UInt64.random(in: 0..<1 << 32)
        var oracle = Oracle(seed: seed)
        let count = TestSize.pick(small: 30_000, full: 300_000)
        for index in 0..<UInt64(count) {
            guard let difference = oracle.difference(index: index) else { continue }
            Issue.record("\(difference)")
            return
        }
        // About half of the inputs are valid; a generator with only invalid messages would find nothing.
        #expect(oracle.accepted > count / 3 && oracle.rejected > count / 3, "seed \(seed): \(oracle.accepted)")
    }

    @Test func `an input can be reproduced from its seed and index`() {
        let first = MessageGenerator.message(seed: 5, index: 77)
        #expect(first == MessageGenerator.message(seed: 5, index: 77))
        #expect(first != MessageGenerator.message(seed: 6, index: 77))
    }

    struct Input: CustomTestStringConvertible {
        let testDescription: String
        let isAccepted: Bool
        let bytes: [UInt8]

        init(_ name: String, _ isAccepted: Bool, _ hex: String) {
            (testDescription, self.isAccepted, bytes) = (name, isAccepted, OracleTests.bytes(hex))
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// The inputs that IPCDBus and libdbus once judged differently.
    static let once = [
        Input(
            "an unknown field of type y in last place", true,
            "6c04000100000000070000003500000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d00000000000000c801790005000000"),
        Input(
            "17 entries around structures, empty", true,
            "6c04000108000000070000009d00000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d000000000000000801670067617b7928617b7928617b7928617b7928617b7928617b7928617b79"
                + "28617b7928617b7928617b7928617b7928617b7928617b7928617b7928617b7928617b7928617b792879297d297d297d"
                + "297d297d297d297d297d297d297d297d297d297d297d297d297d297d000000000000000000000000"),
        Input(
            "20 dictionaries around 20 structures, in a variant", true,
            "6c04000180000000070000003700000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d00000000000000080167000176000079617b79617b79617b79617b79617b79617b79617b79617b"
                + "79617b79617b79617b79617b79617b79617b79617b79617b79617b79617b79617b79617b792828282828282828282828"
                + "2828282828282828287929292929292929292929292929292929292929297d7d7d7d7d7d7d7d7d7d7d7d7d7d7d7d7d7d"
                + "7d7d000000000000"),
        Input(
            "the reserved path", false,
            "6c04000100000000070000004200000001016f001b0000002f6f72672f667265656465736b746f702f444275732f4c6f"
                + "63616c00000000000201730003000000612e62000000000003017300010000004d00000000000000"),
        Input(
            "the reserved interface", false,
            "6c04000100000000070000004200000001016f00020000002f61000000000000020173001a0000006f72672e66726565"
                + "6465736b746f702e444275732e4c6f63616c00000000000003017300010000004d00000000000000"),
        Input(
            "a call that answers the call 0", false,
            "6c01000100000000070000003800000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d000000000000000501750000000000"),
        Input(
            "a signal that answers the call 0", false,
            "6c04000100000000070000003800000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d000000000000000501750000000000"),
        Input(
            "a descriptor in an unknown field", true,
            "6c04000100000000070000003800000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d00000000000000c801680003000000"),
        Input(
            "33 arrays, in two signatures", true,
            "6c04000189000000070000005700000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d000000000000000801670021616161616161616161616161616161616161616161616161616161"
                + "616161616176000085000000810000007d0000007900000075000000710000006d000000690000006500000061000000"
                + "5d0000005900000055000000510000004d0000004900000045000000410000003d000000390000003500000031000000"
                + "2d0000002900000025000000210000001d0000001900000015000000110000000d000000090000000261790001000000"
                + "09"),
        Input(
            "33 structures, in two signatures", true,
            "6c04000109000000070000007700000001016f00020000002f610000000000000201730003000000612e620000000000"
                + "03017300010000004d000000000000000801670041282828282828282828282828282828282828282828282828282828"
                + "282828282876292929292929292929292929292929292929292929292929292929292929292900000328792900000000"
                + "09"),
    ]

    @Test(arguments: once)
    func `both parsers agree on inputs of past disagreements`(_ input: Input) {
        var oracle = Oracle(seed: 0)
        #expect(oracle.reason(input.bytes) == nil)
        #expect(oracle.accepted == (input.isAccepted ? 1 : 0) && oracle.intended.isEmpty)
    }

    private static let examples: [IntendedDifference: String] = [
        .descriptorIndex:
            "6c04000104000000070000003700000001016f00020000002f610000000000000201730003000000612e620000000000"
            + "03017300010000004d00000000000000080167000168000000000000",
        .nestedArrays:
            "6c04000104000000070000007b00000001016f00020000002f610000000000000201730003000000612e620000000000"
            + "03017300010000004d000000000000000801670045616128616128616128616128616128616128616128616128616128"
            + "616128616128616128616128616128616128616128616128792929292929292929292929292929292929000000000000"
            + "00000000",
        .containerDepth:
            "6c040001c9000000070000003700000001016f00020000002f610000000000000201730003000000612e620000000000"
            + "03017300010000004d000000000000000801670001760000017600017600017600017600017600017600017600017600"
            + "017600017600017600017600017600017600017600017600017600017600017600017600017600017600017600017600"
            + "017600017600017600017600017600017600017600017600017600017600017600017600017600017600017600017600"
            + "017600017600017600017600017600017600017600017600017600017600017600017600017600017600017600017600"
            + "017600017600017600017600017600017600017600026179000000000100000009",
        .uniqueName:
            "6c04000100000000070000003b00000001016f00020000002f610000000000000201730003000000612e620000000000"
            + "03017300010000004d0000000000000007017300020000003a31000000000000",
        .localPrefix:
            "6c04000100000000070000004200000001016f00020000002f61000000000000020173001b0000006f72672e66726565"
            + "6465736b746f702e444275732e4c6f63616c32000000000003017300010000004d00000000000000",
        .containerInstance:
            "6c04000100000000070000003a00000001016f00020000002f610000000000000201730003000000612e620000000000"
            + "03017300010000004d000000000000000a017300010000007800000000000000",
    ]

    /// This is also the negative control for the comparison: it must notice each input that libdbus judges differently.
    @Test(arguments: IntendedDifference.allCases)
    func `each intended difference is found`(_ difference: IntendedDifference) throws {
        let bytes = Self.bytes(try #require(Self.examples[difference]))
        var oracle = Oracle(seed: 0)
        #expect(oracle.reason(bytes) == nil)
        #expect(oracle.intended == [difference: 1] && oracle.accepted == 0)
        #expect(!difference.reason.isEmpty)
    }

    @Test func `our messages never contain the reserved names`() throws {
        let local: ObjectPath = "/org/freedesktop/DBus/Local"
        #expect(throws: MessageError.self) {
            try Message.methodCall(to: nil, path: local, interface: nil, member: "M", signature: "") { _ in }
        }
        #expect(throws: MessageError.self) {
            try Message.signal(
                path: "/a", interface: "org.freedesktop.DBus.Local", member: "M", to: nil, signature: ""
            ) { _ in }
        }
        // A path that is reserved in headers is still allowed as an argument.
        #expect(try ObjectPath(marshalled: local.marshalled()) == local)
    }
}
