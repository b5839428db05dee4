import IPCModel
import Testing

@Suite("JSON output")
struct JSONTextTests {
    @Test(arguments: [
        (JSONValue.null, "null"), (.boolean(true), "true"), (.boolean(false), "false"), (.number(.min), "-2147483648"),
        (.unsigned(.max), "4294967295"), (.count(.max), "\"18446744073709551615\""), (.double(0.5), "0.5"),
        (.double(1e300), "1e+300"), (.double(.infinity), "\"inf\""), (.double(.nan), "\"nan\""), (.string(""), "\"\""),
        (.array([]), "[]"), (.array([.null, .array([.number(1)])]), "[null,[1]]"),
        (.object([] as [JSONValue.Member]), "{}"), (.integer(Int16.min), "-32768"), (.integer(1), "\"1\""),
        (.strings(["b": "2", "a": "1"]), #"{"a":"1","b":"2"}"#),
        (.object(["b": .number(1), "none": nil, "a": .string("x")]), "{\"b\":1,\"a\":\"x\"}"),
    ])
    func valuesAreWritten(_ value: JSONValue, _ text: String) {
        #expect(value.text == text)
    }

    @Test(arguments: [
        ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1F}\u{7F}\u{9F}", #""\u0000\u001f\u007f\u009f""#),
        ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\r\n", #""\r\n""#), ("日本 é e\u{301} 😀 /", "\"日本 é e\u{301} 😀 /\""),
        ("\"\u{301}", "\"\\\"\u{301}\""),
    ])
    func stringsAreEscaped(_ string: String, _ text: String) {
        #expect(Array(JSONValue.string(string).text.utf8) == Array(text.utf8))
    }

    @Test func everyStringIsWrittenOnOneLine() {
        let all = String(String.UnicodeScalarView((0...0x2FFF).compactMap(Unicode.Scalar.init)))
        let text = JSONValue.string(all).text
        #expect(text.unicodeScalars.allSatisfy { !("\u{0}"..."\u{1F}").contains($0) && $0 != "\u{85}" })
    }

    @Test(arguments: [
        ("{}", "{}"), ("[]", "[]"), ("1", "1"), ("{\"a\":[]}", "{\n  \"a\": []\n}"),
        ("{\"a\":1,\"b\":[1,2]}", "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}"),
        ("{ \"a\" : \"x, {y}: \\\"[\" }", "{\n  \"a\": \"x, {y}: \\\"[\"\n}"), ("\"\\\\\"", "\"\\\\\""),
        ("[1.50,{}]", "[\n  1.50,\n  {}\n]"),
    ])
    func textIsIndented(_ text: String, _ indented: String) throws {
        #expect(try JSONValue(parsing: text).indentedText == indented)
    }
}
