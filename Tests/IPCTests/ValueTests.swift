import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Checks that values survive a round trip through JSON: with every bit in Swift, with every digit in other languages.
struct ValueTests {
    struct Rectangle: Codable, Hashable {
        var x, y, width, height: Double
    }

    struct Everything: Codable, Hashable {
        var signed: [Int64], unsigned: [UInt64], wide: Int128, wider: [UInt128], optional: Int128?,
            one: [String: UInt128]
        var small: [Int8], medium: [UInt32]
        var single: [Float], double: [Double]
        var text: String, flag: Bool, missing: Int?, present: String?
        var nested: [String: [Rectangle]]
        var byNumber: [Int: UInt8]
        var choice: Choice

        enum Choice: Codable, Hashable {
            case one(UInt64)
            case two(name: String, Double)
            case three
        }
    }

    class Animal: Codable {
        var name: String
        init(name: String) { self.name = name }
    }

    final class Dog: Animal {
        var tags: [UInt64] = []
        private enum Key: CodingKey { case tags }
        init(name: String, tags: [UInt64]) {
            self.tags = tags
            super.init(name: name)
        }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            tags = try container.decode([UInt64].self, forKey: .tags)
            try super.init(from: try container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(tags, forKey: .tags)
            try super.encode(to: container.superEncoder())
        }
    }

    private func text(_ value: some Encodable) throws -> String {
        try #require(try PasteboardItem.value(value)[.json]?.value.string)
    }

    private func read<Content: Decodable>(_ text: String, as type: Content.Type = Content.self) throws -> Content {
        try #require(try PasteboardItem.data(Array(text.utf8), type: .json).value(type))
    }

    @Test func numbersKeepEveryDigit() throws {
        #expect(try text(UInt64.max) == "\"18446744073709551615\"")
        #expect(try text([Int64.min, -1]) == "[\"-9223372036854775808\",\"-1\"]")
        #expect(try text(UInt32.max) == "4294967295" && text(Int8(-5)) == "-5")
        #expect(try text(0.1) == "\"0.1\"" && text(Float(0.1)) == "\"0.1\"")
        #expect(try text([Double.infinity, -.infinity, .nan, -0.0]) == "[\"inf\",\"-inf\",\"nan\",\"-0.0\"]")
        #expect(
            try text(Rectangle(x: 0.1, y: -1e300, width: .leastNonzeroMagnitude, height: 3))
                == #"{"x":"0.1","y":"-1e+300","width":"5e-324","height":"3.0"}"#)
        #expect(try text([Bool?.none, true]) == "[null,true]")
        #expect(try text("a\"\\\n\u{1}ü\u{1F600}") == #""a\"\\\n\u0001ü😀""#)
    }

    @Test func plainNumbersAreReadToo() throws {
        #expect(try read("18446744073709551615", as: UInt64.self) == .max)
        #expect(try read(" [ 1 , 1.0 , 1e3, \"7\" ] ", as: [Int].self) == [1, 1, 1_000, 7])
        #expect(
            try read("{\"x\":0.5,\"y\":1,\"width\":\"2\",\"height\":1E2}")
                == Rectangle(x: 0.5, y: 1, width: 2, height: 100))
        #expect(try read("null", as: Int?.self) == nil)
        #expect(try read(#""\u00fc\ud83d\ude00\/""#, as: String.self) == "ü😀/")
    }

    @Test(arguments: [
        "18446744073709551616", "\"18446744073709551616\"", "-1", "1.5", "9007199254740993.0", "true", "[]", "\"\"",
    ])
    func aValueOutsideTheIntegerTypeIsRejected(_ text: String) {
        let error = #expect(throws: IPCError.self) { try read(text, as: UInt64.self) }
        #expect(error?.code == .payloadInvalid)
    }

    @Test(arguments: [
        "1e400", "\"-1e999\"", "\"\"", "\"zero\"", "{}", "null",
    ])
    func aValueThatIsNotANumberIsRejected(_ text: String) {
        let error = #expect(throws: IPCError.self) { try read(text, as: Double.self) }
        #expect(error?.code == .payloadInvalid)
    }

    @Test func everyBitOfANumberIsPreserved() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let bits = UInt64.random(in: .min ... .max, using: &random)
            let double = Double(bitPattern: bits)
            try #require(try double.isNaN == read(text(double), as: Double.self).isNaN)
            try #require(try double.isNaN || read(text(double), as: Double.self).bitPattern == bits)
            try #require(try read(text(bits), as: UInt64.self) == bits)
            try #require(try read(text(Int64(bitPattern: bits)), as: Int64.self) == Int64(bitPattern: bits))
            let single = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            try #require(try single.isNaN == read(text(single), as: Float.self).isNaN)
            try #require(try single.isNaN || read(text(single), as: Float.self).bitPattern == single.bitPattern)
        }
        // Random bits rarely give the extreme values, so test these as well.
        let edges: [UInt64] = [
            0x7FF0_0000_0000_0000, 0x8000_0000_0000_0000, 1, 0x000F_FFFF_FFFF_FFFF, 0x7FEF_FFFF_FFFF_FFFF,
        ]
        for bits in edges { #expect(try read(text(Double(bitPattern: bits)), as: Double.self).bitPattern == bits) }
    }

    @Test(arguments: [0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0000, 0x7FF0_0000_0000_0001, 0xFFFF_FFFF_FFFF_FFFF])
    func `a NaN of any bits is written as nan`(bits: UInt64) throws {
        #expect(try text(Double(bitPattern: bits)) == "\"nan\"")
        #expect(try read("\"nan\"", as: Double.self).isNaN && read("\"nan\"", as: Float.self).isNaN)
    }

    /// Earlier versions wrote a NaN with its sign and its bits.
    @Test(arguments: ["-nan", "nan(0x5)", "-nan(0xfffffffffffff)"])
    func `a NaN with its bits can still be read`(number: String) throws {
        #expect(try read("\"\(number)\"", as: Double.self).isNaN)
    }

    @Test(arguments: 0..<50) func writtenValuesAreReadBack(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func some<Element>(_ make: (inout SeededGenerator) -> Element) -> [Element] {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in make(&random) }
        }
        func words(_ random: inout SeededGenerator) -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...9, using: &random)).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: 0...0x1_20FF, using: &random))
                    }))
        }
        func finite(_ random: inout SeededGenerator) -> Double {
            let value = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
            return value.isNaN ? 0 : value
        }
        let value = Everything(
            signed: some { Int64.random(in: .min ... .max, using: &$0) },
            unsigned: some { UInt64.random(in: .min ... .max, using: &$0) },
            wide: Int128(UInt64.random(in: .min ... .max, using: &random)) << 60,
            wider: some { UInt128.random(in: .min ... .max, using: &$0) }, optional: .min, one: ["1": .max],
            small: some { Int8.random(in: .min ... .max, using: &$0) },
            medium: some { UInt32.random(in: .min ... .max, using: &$0) },
            single: some { Float(Int32.random(in: .min ... .max, using: &$0)) / 7 }, double: some { finite(&$0) },
            text: words(&random), flag: .random(using: &random), missing: nil,
            present: Bool.random(using: &random) ? words(&random) : nil,
            nested: Dictionary(
                some { (words(&$0), [Rectangle(x: finite(&$0), y: 0, width: 1, height: finite(&$0))]) },
                uniquingKeysWith: { one, _ in one }),
            byNumber: Dictionary(
                some { (Int.random(in: .min ... .max, using: &$0), 7) }, uniquingKeysWith: { one, _ in one }),
            choice: [.one(.max), .two(name: words(&random), finite(&random)), .three].randomElement(using: &random)!)
        let written = try text(value)
        #expect(try read(written) == value)
        // If a byte is missing or changed, the result is an error or another value, but never a crash.
        for _ in 0..<20 {
            var bytes = Array(written.utf8)
            let place = Int.random(in: bytes.indices, using: &random)
            if Bool.random(using: &random) {
                bytes.remove(at: place)
            } else {
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            do throws(IPCError) { _ = try PasteboardItem.data(bytes, type: .json).value(Everything.self) } catch {
                #expect(error.code == .payloadInvalid)
            }
        }
        let missing = written.replacing("\"flag\"", with: "\"flap\"")
        #expect(throws: IPCError.self) { try read(missing, as: Everything.self) }
    }

    @Test func classesWithASuperclassAreWritten() throws {
        let dog = try read(text(Dog(name: "Rex", tags: [.max])), as: Dog.self)
        #expect(dog.name == "Rex" && dog.tags == [.max])
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "01", "-", "1.", ".5", "+1",
        "1e", "nul", "nulll", "tru", "\"", "\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "1 2", "[1]]", "'a'", "NaN", "Infinity", "\u{FEFF}1", "// 1",
    ])
    func invalidJSONIsRejectedWithItsPosition(_ text: String) {
        let error = #expect(throws: IPCError.self) { try read(text, as: JSONAnything.self) }
        #expect(error?.code == .payloadInvalid && error?.message.contains("invalid JSON at byte") == true, "\(text)")
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        let item = PasteboardItem.data([0x22, 0xC3, 0x28, 0x22], type: .json)
        let error = #expect(throws: IPCError.self) { try item.value(String.self) }
        #expect(error?.code == .payloadInvalid)
    }

    @Test func depthIsLimited() throws {
        let (deep, tooDeep) = (512, 513)
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try read(nested(deep), as: JSONAnything.self) }
        let error = #expect(throws: IPCError.self) { try read(nested(tooDeep), as: JSONAnything.self) }
        #expect(error?.message.contains("512") == true)
        #expect(throws: IPCError.self) { try read(String(repeating: "[", count: 1 << 20), as: JSONAnything.self) }
    }

    @Test func theErrorNamesThePathInTheValue() {
        let error = #expect(throws: IPCError.self) {
            try read(#"{"x":"1","y":"2","width":true,"height":"4"}"#, as: Rectangle.self)
        }
        #expect(error?.message.contains("“width”") == true && error?.message.contains("a boolean") == true)
    }

    @Test func aValueMayHaveItsOwnTypeAndItsAbsenceIsNotAnError() throws {
        let type = try ContentType("application/vnd.demo.rectangle+json")
        let item = try PasteboardItem.value(Rectangle(x: 1, y: 2, width: 3, height: 4), type: type)
        #expect(try item.value(Rectangle.self, type: type) == Rectangle(x: 1, y: 2, width: 3, height: 4))
        #expect(try item.value(Rectangle.self) == nil)
        var context = OpenURLContext()
        context.items = [item]
        let payload = Payload(context)
        #expect(try payload.value(Rectangle.self, type: type)?.height == 4)
        #expect(try payload.value(Rectangle.self, type: type, item: 1) == nil)
    }

    @Test func aValueThatCannotBeEncodedIsAnError() {
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws { throw IPCError(.inputOutput, "no") }
        }
        let error = #expect(throws: IPCError.self) { try PasteboardItem.value(Refusing()) }
        #expect(error?.code == .invalidArguments)
    }
}

/// Decodes any JSON text and ignores its content.
private struct JSONAnything: Decodable {
    init(from decoder: any Decoder) {}
}
