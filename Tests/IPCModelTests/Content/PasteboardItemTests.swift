import IPCModel
import Testing

@Suite("PasteboardItem")
struct PasteboardItemTests {
    @Test("A string is one representation of UTF-8 text")
    func string() {
        let item = PasteboardItem.string("hello 日本")
        #expect(item.representations == [Representation(type: .utf8PlainText, value: .text("hello 日本"))])
        #expect(item.string == "hello 日本" && item.url == nil && item.byteCount == 12)
    }

    @Test("A string with U+0000 travels as bytes, because a D-Bus string ends there")
    func stringWithNul() {
        let item = PasteboardItem.string("a\u{0}b")
        #expect(item.representations[0].value == .bytes([0x61, 0, 0x62]))
        #expect(item.string == "a\u{0}b")
    }

    @Test("An image is bytes of an image type")
    func image() throws {
        let item = PasteboardItem.image([1, 2], type: .png)
        #expect(item.image == Representation(type: .png, value: .bytes([1, 2])))
        #expect(try PasteboardItem.data([1], type: ContentType("image/x-any")).image != nil)
        #expect(PasteboardItem.data([1]).image == nil && PasteboardItem.string("image/png").image == nil)
    }

    @Test("A read item may be empty, a new one may not, and neither has duplicate types")
    func readItem() throws {
        #expect(try PasteboardItem(read: []) == .withoutContent)
        #expect(throws: PasteboardItem.Invalid.empty) { try PasteboardItem([]) }
        let png = Representation(type: .png, value: .bytes([]))
        #expect(throws: PasteboardItem.Invalid.typeTwice(.png)) { try PasteboardItem(read: [png, png]) }
        #expect(try PasteboardItem(read: [png]) == PasteboardItem([png]))
    }

    @Test("Mapping values keeps types and order")
    func mapValues() throws {
        let item = try PasteboardItem([
            Representation(type: .png, value: .bytes([1])), Representation(type: .plainText, value: .text("a")),
        ])
        let mapped = item.mapValues { .bytes([UInt8($0.byteCount)]) }
        #expect(mapped.types == [.png, .plainText] && mapped.representations.allSatisfy { $0.value == .bytes([1]) })
    }

    @Test("A URL is a line of text/uri-list, RFC 2483 §5, and survives a round trip")
    func url() throws {
        let item = try PasteboardItem.url("IPCServer.demo:a b%20日本")
        #expect(item.representations == [Representation(type: .url, value: .text("IPCServer.demo:a b%20日本\r\n"))])
        #expect(item.url == "IPCServer.demo:a b%20日本" && item.string == nil)
        let error = #expect(throws: IPCError.self) { try PasteboardItem.url("nothing") }
        #expect(error?.code == .invalidURL)
    }

    private static let listRows: [(list: String, url: String?)] = [
        ("a:b", "a:b"), ("a:b\r\n", "a:b"), ("a:b\nc:d\n", "a:b"), ("# note\r\na:b\r\n", "a:b"), ("\r\n\r\na:b", "a:b"),
        ("#a:b", nil), ("", nil), ("\r\n", nil), ("nothing\r\na:b", nil), ("a:\u{7}", nil),
    ]

    @Test("The first line that is not a comment is the URL", arguments: listRows)
    func urlList(list: String, url: String?) throws {
        #expect(try PasteboardItem([Representation(type: .url, value: .text(list))]).url == url)
        #expect(PasteboardItem.data(Array(list.utf8), type: .url).url == url)
    }

    @Test("Bytes keep their type; without one, they are of unknown type")
    func data() {
        #expect(PasteboardItem.data([1, 2, 3], type: .png)[.png]?.value == .bytes([1, 2, 3]))
        #expect(PasteboardItem.data([]).types == [.octetStream])
        #expect(PasteboardItem.data([]).byteCount == 0)
    }

    @Test("The order of the representations is the writer's")
    func order() throws {
        let html = Representation(type: .html, value: .text("<b>x</b>"))
        let latin = Representation(type: try ContentType("text/plain;charset=iso-8859-1"), value: .bytes([0xE9]))
        let plain = Representation(type: .plainText, value: .bytes(Array("é".utf8)))
        let item = try PasteboardItem([html, latin, plain])
        #expect(item.representations == [html, latin, plain])
        #expect(item.types == [html.type, latin.type, plain.type])
        #expect(item.string == "é", "neither markup nor another character set is taken for the string")
        #expect(item.byteCount == 11)
    }

    @Test("Bytes that are not UTF-8 are not a string", arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF]])
    func notUTF8(bytes: [UInt8]) {
        #expect(PasteboardItem.data(bytes, type: .plainText).string == nil)
    }

    @Test("An item without a representation is refused")
    func empty() {
        let error = #expect(throws: PasteboardItem.Invalid.empty) { try PasteboardItem([]) }
        if let error { expectSentence(error) }
    }

    private static let twiceRows: [(String, String)] = [
        ("text/plain", "text/plain"), ("text/plain", "TEXT/PLAIN"), ("text/plain;a=b", "text/plain; A=b"),
        ("public.png", "image/png"), ("UTF8_STRING", "UTF8_STRING"),
    ]

    @Test("A duplicate type in an item is rejected in any spelling", arguments: twiceRows)
    func typeTwice(first: String, second: String) throws {
        let (first, second) = (try ContentType(first), try ContentType(second))
        let error = #expect(throws: PasteboardItem.Invalid.typeTwice(second)) {
            try PasteboardItem([
                Representation(type: first, value: .text("1")), Representation(type: .html, value: .text("2")),
                Representation(type: second, value: .text("3")),
            ])
        }
        #expect(error?.ipcError.code == .invalidArguments)
        if let error { expectSentence(error) }
    }

    @Test("Values are compared byte by byte, and text never equals bytes")
    func values() {
        let values: [Representation.Value] = [
            .text("\u{e9}"), .text("e\u{301}"), .bytes(Array("\u{e9}".utf8)), .text(""), .bytes([]),
        ]
        #expect(Set(values).count == 5)
        #expect(values[0] != values[1])
        #expect(Representation.Value.text("\u{e9}") == .text("é"))
        #expect(values.map(\.byteCount) == [2, 3, 2, 0, 0])
    }
}
