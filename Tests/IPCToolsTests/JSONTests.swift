import IPC
import IPCDBus
import IPCModel
import IPCTools
import Testing

@Suite("JSON of items and annotations")
struct JSONTests {
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
    func rejectsInvalidBase64(_ text: String) { #expect(Base64.decode(text) == nil) }

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
        (.dictionary(key: "s", value: "v", []), "{}"), (.dictionary(key: "u", value: "s", []), "[]"),
    ])
    func showsAnnotations(_ value: Value, _ text: String) {
        #expect(JSONValue(value).text == text)
    }
}
