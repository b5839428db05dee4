import IPC
import IPCDBus
import IPCTools
import Testing

@Suite("JSON output")
struct JSONTests {
    @Test(arguments: [
        (JSONValue.null, "null"), (.boolean(true), "true"), (.boolean(false), "false"), (.number(.min), "-2147483648"),
        (.unsigned(.max), "4294967295"), (.count(.max), "\"18446744073709551615\""), (.double(0.5), "0.5"),
        (.double(1e300), "1e+300"), (.double(.infinity), "\"inf\""), (.double(.nan), "\"nan\""), (.string(""), "\"\""),
        (.array([]), "[]"), (.array([.null, .array([.number(1)])]), "[null,[1]]"),
        (.object([] as [JSONValue.Member]), "{}"),
        (.object(["b": .number(1), "none": nil, "a": .string("x")]), "{\"b\":1,\"a\":\"x\"}"),
    ])
    func writes(_ value: JSONValue, _ text: String) {
        #expect(value.text == text)
    }

    @Test(arguments: [
        ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1F}\u{7F}\u{9F}", #""\u0000\u001f\u007f\u009f""#),
        ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\r\n", #""\r\n""#), ("日本 é e\u{301} 😀 /", "\"日本 é e\u{301} 😀 /\""),
        ("\"\u{301}", "\"\\\"\u{301}\""),
    ])
    func escapes(_ string: String, _ text: String) {
        #expect(Array(JSONValue.string(string).text.utf8) == Array(text.utf8))
    }

    @Test func everyTextIsOneLine() {
        let all = String(String.UnicodeScalarView((0...0x2FFF).compactMap(Unicode.Scalar.init)))
        let text = JSONValue.string(all).text
        #expect(text.unicodeScalars.allSatisfy { !("\u{0}"..."\u{1F}").contains($0) && $0 != "\u{85}" })
    }

    @Test(arguments: [
        ([UInt8](), ""), ([0x66], "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg=="), (Array("fooba".utf8), "Zm9vYmE="), (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xFF, 0xFE, 0xFD], "//79"), ([0xFB, 0xEF, 0xBE], "++++"),
    ])
    func encodesBase64(_ bytes: [UInt8], _ text: String) {
        #expect(Base64.encode(bytes) == text)
        #expect(Base64.decode(text) == bytes)
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zg==Zg==", " Zg=", "Zg=\n", "Z*==", "====", "_-_-"])
    func refusesWrongBase64(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test func showsItems() throws {
        let picture = Representation(type: .png, value: .bytes([0x89, 0x50]))
        let words = Representation(type: .plainText, value: .bytes(Array("é".utf8)))
        let items = [PasteboardItem.string("a"), try PasteboardItem([picture, words])]
        #expect(
            JSONValue.items(items).text == """
                [[{"type":"text/plain;charset=utf-8","text":"a"}],\
                [{"type":"image/png","base64":"iVA="},{"type":"text/plain","text":"é"}]]
                """)
    }

    @Test(arguments: [
        (Value.uint64(.max), "\"18446744073709551615\""), (.int64(.min), "\"-9223372036854775808\""), (.byte(7), "7"),
        (.int16(-1), "-1"), (.bytes([0xFF]), #"{"base64":"/w=="}"#), (.variant(.boolean(true)), "true"),
        (.structure([.string("a"), .double(1)]), #"["a",1.0]"#), (.array(of: "s", []), "[]"),
        (.dictionary(key: "s", value: "u", [.init(.string("k"), .uint32(1))]), #"{"k":1}"#),
        (.dictionary(key: "u", value: "s", [.init(.uint32(1), .string("v"))]), #"[[1,"v"]]"#),
    ])
    func showsAnnotations(_ value: Value, _ text: String) {
        #expect(JSONValue(value).text == text)
    }

    @Test(arguments: [
        ("{}", "{}"), ("[]", "[]"), ("1", "1"), ("{\"a\":[]}", "{\n  \"a\": []\n}"),
        ("{\"a\":1,\"b\":[1,2]}", "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}"),
        ("{ \"a\" : \"x, {y}: \\\"[\" }", "{\n  \"a\": \"x, {y}: \\\"[\"\n}"), ("\"\\\\\"", "\"\\\\\""),
        ("]]", "\n]\n]"),
    ])
    func laysOut(_ text: String, _ indented: String) {
        #expect(JSONText.indented(text) == indented)
    }
}
