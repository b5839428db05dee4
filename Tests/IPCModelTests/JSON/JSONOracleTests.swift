import IPCModel
import IPCTesting
import Testing

/// Generates JSON texts, most of them with a defect, and compares how this parser and Python's parser read them.
@Suite("JSON and Python")
struct JSONOracleTests {
    /// A Python program that reads one text per line, in hexadecimal digits, and prints its meaning. It is as strict as
    /// RFC 8259, keeps numbers as spelled and all members of objects, and rejects NaN and lone surrogates.
    private static let program = """
        import json, sys
        class Number(str): pass
        class Members(list): pass
        def refuse(name): raise ValueError(name)
        def meaning(value):
            if value is None: return "null"
            if value is True: return "true"
            if value is False: return "false"
            if isinstance(value, Number): return "#" + value
            if isinstance(value, str): return "'" + value.encode("utf-8").hex()
            if isinstance(value, Members): return "{" + " ".join(meaning(key) + ":" + meaning(of) for key, of in value) + "}"
            return "[" + " ".join(map(meaning, value)) + "]"
        for line in sys.stdin:
            try:
                text = bytes.fromhex(line).decode("utf-8")
                print(meaning(json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse,
                    object_pairs_hook=Members)))
            except ValueError: print("no JSON")
        """

    private static func python(_ texts: [[UInt8]]) async throws -> [String] {
        let lines = texts.map { hexadecimal($0) + "\n" }.joined()
        return try await RunningProcess.run("python3", ["-c", program], input: .bytes(Array(lines.utf8))).succeeded()
            .lines
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func meaning(_ value: JSONValue?) -> String {
        switch value {
        case nil: "no JSON"
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let digits): "#" + digits
        case .string(let text): "'" + hexadecimal(text.utf8)
        case .array(let elements): "[" + elements.map(meaning).joined(separator: " ") + "]"
        case .object(let members):
            "{" + members.map { meaning(.string($0.key)) + ":" + meaning($0.value) }.joined(separator: " ") + "}"
        }
    }

    @Test func `Python reads the same value before and after a rewrite`() async throws {
        var texts = JSONTexts(random: SeededGenerator.forTest("JSON and Python"))
        // The first two texts are for the negative control below.
        let inputs =
            [#"{"a":1,"a":2}"#, "18446744073709551617"].map { Array($0.utf8) } + (0..<6_000).map { _ in texts.next() }
        let values = inputs.map { try? JSONValue(parsing: $0) }
        let expected = try await Self.python(inputs)
        try #require(expected.count == inputs.count)
        for (place, meaning) in expected.enumerated() {
            #expect(Self.meaning(values[place]) == meaning, "\(String(decoding: inputs[place], as: UTF8.self))")
        }
        let accepted = values.compactMap(\.self)
        #expect(accepted.count > 1_000 && inputs.count - accepted.count > 1_000)
        let written = try await Self.python(accepted.map { Array($0.text.utf8) })
        let indented = try await Self.python(accepted.map { Array($0.indentedText.utf8) })
        #expect(written == accepted.map(Self.meaning) && indented == written)
        // The negative control: readers that lose a member, or the digits of a number, are noticed.
        #expect(accepted.contains { Self.meaning($0) != Self.meaning(Self.losingMembers($0)) })
        #expect(accepted.contains { Self.meaning($0) != Self.meaning(Self.losingDigits($0)) })
    }

    private static func losingMembers(_ value: JSONValue) -> JSONValue {
        guard let members = value.members else { return value }
        let last = Dictionary(members.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        return .object(members.filter { last[$0.key] == $0 })
    }

    private static func losingDigits(_ value: JSONValue) -> JSONValue {
        guard case .number(let digits) = value, let number = Double(digits) else { return value }
        return .double(number)
    }
}

/// JSON texts with blanks, escapes and all kinds of numbers. Half of them have one to three defects.
private struct JSONTexts {
    var random: SeededGenerator

    mutating func next() -> [UInt8] {
        var bytes = Array(value(depth: 0).utf8)
        guard Bool.random(using: &random) else { return bytes }
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.insert(Array("\"\\{}[],:01-+.eEun \t\0".utf8).randomElement(using: &random)!, at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random)! }
    private mutating func blanks() -> String { pick(["", "", "", " ", "\n\t", "\r "]) }
    private mutating func times(_ limit: Int, _ make: (inout JSONTexts) -> String) -> [String] {
        (0..<Int.random(in: 0...limit, using: &random)).map { _ in make(&self) }
    }

    private mutating func value(depth: Int) -> String {
        let kinds = depth < 4 ? 0..<6 : 2..<6
        let text =
            switch Int.random(in: kinds, using: &random) {
            case 0: "[" + times(4) { $0.value(depth: depth + 1) }.joined(separator: ",") + "]"
            case 1:
                "{"
                    + times(4) { $0.blanks() + $0.string() + $0.blanks() + ":" + $0.value(depth: depth + 1) }
                    .joined(separator: ",") + "}"
            case 2: string()
            case 3: pick(["true", "false", "null", "NaN", "Infinity", "nul", "True"])
            default: number()
            }
        return blanks() + text + blanks()
    }

    private mutating func digits() -> String {
        pick(["0", "1", "7", "12", "00", "18446744073709551616", "340282366920938463463374607431768211456", "٣"])
    }

    private mutating func number() -> String {
        pick(["", "", "-", "+"]) + digits() + pick(["", "", "." + digits(), "."])
            + pick(["", "", "e" + digits(), "E+" + digits(), "e-" + digits(), "e"])
    }

    private mutating func string() -> String {
        "\""
            + times(5) {
                $0.pick([
                    "a", "b", "ü", "日", "😀", "e\u{301}", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t",
                    "\\u0041", "\\u00e9", "\\uD83D\\uDE00", "\\ud83d", "\\ude00", "\\u2028", "\u{2028}", "\u{7F}",
                    "\u{85}",
                    "\\u000", "\\x", "\\u+123", "\u{1}", "\u{FEFF}", "\\u0000",
                ])
            }.joined() + "\""
    }
}
