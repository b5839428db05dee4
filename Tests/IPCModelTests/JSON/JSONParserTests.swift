import IPCModel
import Testing

@Suite("JSON input")
struct JSONParserTests {
    @Test(arguments: [
        (" null ", JSONValue.null), ("true", .boolean(true)), ("-2147483648", .number(.min)),
        ("4294967295", .unsigned(.max)), ("18446744073709551617", .number("18446744073709551617")),
        ("0.5E+1", .number("0.5E+1")), ("-0.0", .double(-0.0)),
        ("0", .number(0)),
        ("\"\"", .string("")), ("[ ]", .array([])), ("[1,[null]]", .array([.number(1), .array([.null])])),
        ("{}", .object([] as [JSONValue.Member])),
        ("{\"b\" : 1 ,\"a\":\"x\"}", .object(["b": .number(1), "a": .string("x")])),
        (#""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00""#, .string("\"\\/\u{8}\u{C}\n\r\tAé😀")),
    ])
    func validTextIsParsed(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "tru", "01", "-", "1.", ".5", "1e", "+1", "1 2", "\"", "\"\n\"", #""\x""#, #""\u12""#,
        #""\ud800""#,
        #""\ud800\u0041""#, #""\udc00""#, "[1,]", "[1", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "NaN",
        "[1]]", "'a'",
    ])
    func invalidTextIsRejected(_ text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test func textThatIsNotUTF8OrTooDeepIsRejected() throws {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: deep(513)) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: deep(100_000)) }
        _ = try JSONValue(parsing: deep(512))
    }

    @Test func `the last of several members with the same key wins, and all are kept`() throws {
        let value = try JSONValue(parsing: #"{"a":1,"b":2,"\u0061":"3"}"#)
        #expect(value["a"] == .string("3") && value["a"]?.count == 3 && value["c"] == nil)
        #expect(value.members?.map(\.key) == ["a", "b", "a"])
        #expect(JSONValue.array([value])["a"] == nil)
    }

    @Test(arguments: [
        ("", 1), (" ?", 2), ("[1,\n x]", 6), ("{\"a\" 1}", 6), ("\"ab", 4), ("\"a\u{7}", 3), ("nul", 1), ("1 2", 3),
        (#"["\x"]"#, 4), (#""\ud800""#, 8), ("-a", 2),
    ])
    func `an error names the byte position, counted from 1`(_ text: String, _ byte: Int) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.byte == byte, "\(text)")
    }

    /// A text that is written and parsed again has the same Unicode scalars.
    @Test func writtenTextIsParsedBack() throws {
        let all = String(String.UnicodeScalarView((0...0x2FFF).compactMap(Unicode.Scalar.init)))
        let value = JSONValue.object([
            "text": .string(all), "combining": .string("\"\u{301}e\u{301}\r\n"),
            "numbers": .array([.number(-1), .count(.max)]),
        ])
        let read = try JSONValue(parsing: value.text)
        #expect(read["text"]?.string?.unicodeScalars.elementsEqual(all.unicodeScalars) == true)
        #expect(read["combining"]?.string?.utf8.elementsEqual("\"\u{301}e\u{301}\r\n".utf8) == true)
        #expect(read["numbers"]?.array?.last?.count == .max)
        #expect(read.text == value.text)
    }

    @Test(arguments: [
        (JSONValue.count(.max), UInt64.max as UInt64?), (.number(7), 7), (.unsigned(.max), 4_294_967_295),
        (.number(-1), nil),
        (.string(""), nil), (.string("-1"), nil), (.string("+1"), nil), (.string("18446744073709551616"), nil),
        (.double(1), nil), (.null, nil), (.number("18446744073709551615"), .max), (.number("1e3"), nil),
    ])
    func countsConsistOfDigits(_ value: JSONValue, _ count: UInt64?) { #expect(value.count == count) }
}
