import IPCModel
import Testing

@Suite("PasteboardName")
struct PasteboardNameTests {
    @Test(
        "A name is 1 to 255 bytes of UTF-8 without control characters",
        arguments: [
            "general", "demo.IPCClient", "a", " ", "  two  ", "my board", "Zwischenablage für Bücher", "日本語", "🗂️",
            "e\u{301}", "\u{e9}", "/", "../../etc/passwd", "_", "%00", "\"quoted\"", "unique-", "\u{A0}", "\u{FEFF}",
            "\u{200B}", "-rf", "~", String(repeating: "n", count: 255), String(repeating: "日", count: 85),
        ])
    func good(text: String) throws {
        let name = try PasteboardName(text)
        #expect(Array(name.text.utf8) == Array(text.utf8))
        #expect(PasteboardName(pathElement: name.pathElement) == name)
    }

    private static let badRows: [(text: String, complaint: String)] = [
        ("", "is empty; it needs 1 to 255 bytes of UTF-8"),
        ("\u{0}", "“U+0000” contains the control character U+0000"),
        ("a\u{0}b", "“aU+0000b” contains the control character U+0000"),
        ("\u{1}", "“U+0001” contains the control character U+0001"),
        ("a\tb", "“aU+0009b” contains the control character U+0009"),
        ("a\n", "“aU+000A” contains the control character U+000A"),
        ("\na", "“U+000Aa” contains the control character U+000A"),
        ("a\r\nb", "“aU+000DU+000Ab” contains the control character U+000D"),
        ("a\u{B}", "“aU+000B” contains the control character U+000B"),
        ("a\u{C}", "“aU+000C” contains the control character U+000C"),
        ("\u{1B}[31mred", "“U+001B[31mred” contains the control character U+001B"),
        ("\u{1F}", "“U+001F” contains the control character U+001F"),
        ("\u{7F}", "“U+007F” contains the control character U+007F"),
        ("a\u{7F}b", "“aU+007Fb” contains the control character U+007F"),
        ("\u{80}", "“U+0080” contains the control character U+0080"),
        ("a\u{85}b", "“aU+0085b” contains the control character U+0085"),
        ("\u{90}", "“U+0090” contains the control character U+0090"),
        ("\u{9B}31m", "“U+009B31m” contains the control character U+009B"),
        ("\u{9F}", "“U+009F” contains the control character U+009F"),
        ("日本\u{8}", "“日本U+0008” contains the control character U+0008"),
        ("bell\u{7}", "“bellU+0007” contains the control character U+0007"),
    ]

    @Test("A bad name is refused, and the message says what is wrong", arguments: badRows)
    func bad(text: String, complaint: String) {
        let error = #expect(throws: IPCError.self) { try PasteboardName(text) }
        #expect(error?.ipcError == IPCError(.invalidName, "the name of the pasteboard " + complaint))
        if let error { expectSentence(error) }
    }

    @Test("Bytes are counted, not characters", arguments: ["n", "é", "日", "🗂"])
    func tooLong(character: String) throws {
        let most = 255 / character.utf8.count
        let longest = String(repeating: character, count: most)
        let longer = longest + character
        #expect(try PasteboardName(longest).text == longest)
        let error = #expect(throws: IPCError.self) { try PasteboardName(longer) }
        #expect(error?.description.hasSuffix("has \(longer.utf8.count) bytes; at most 255 are allowed") == true)
    }

    @Test("Names are compared byte by byte: canonical equivalence is not equality")
    func bytewise() throws {
        let composed = PasteboardName("caf\u{e9}")
        let decomposed = PasteboardName("cafe\u{301}")
        #expect(composed.text == decomposed.text, "the String comparison that the type avoids")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed.pathElement != decomposed.pathElement)
        #expect(decomposed < composed && !(composed < decomposed))
        #expect(PasteboardName("A") != PasteboardName("a"))
    }

    @Test("Names are sorted by their bytes")
    func order() throws {
        let names = try ["b", "a", "ab", "B", "é", "z", "日", "e\u{301}", "🗂", "\u{FF21}"].map(PasteboardName.init)
        let bytes = names.map { Array($0.text.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(names.sorted().map { Array($0.text.utf8) } == bytes)
    }

    @Test("general and unique names are recognized")
    func unique() throws {
        #expect(PasteboardName("general") == .general)
        #expect(!PasteboardName.general.isUnique)
        let unique = PasteboardName.unique()
        #expect(unique.isUnique && unique != PasteboardName.unique())
        #expect(try PasteboardName(unique.text) == unique)
        #expect(!PasteboardName("Unique-1").isUnique)
    }
}
