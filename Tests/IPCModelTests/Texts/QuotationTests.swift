import IPCModel
import Testing

@Suite("Quotation of foreign text in messages")
struct QuotationTests {
    private static let escapingRows: [(text: String, quoted: String)] = [
        ("", "“”"), ("plain", "“plain”"), ("日本 é 🗂", "“日本 é 🗂”"), ("a\u{0}b", "“aU+0000b”"),
        ("\u{1B}[2J", "“U+001B[2J”"), ("a\r\n", "“aU+000DU+000A”"), ("\u{9B}", "“U+009B”"),
        ("\u{202E}abc", "“U+202Eabc”"), ("\u{2028}", "“U+2028”"), ("\u{FEFF}", "“U+FEFF”"),
        ("\u{E000}", "“U+E000”"), ("\u{10FFFF}", "“U+10FFFF”"), ("\u{E0041}", "“U+E0041”"),
    ]

    @Test("Characters that cannot be shown are escaped", arguments: escapingRows)
    func escaping(text: String, quoted: String) {
        #expect(text.quoted == quoted)
    }

    @Test("A long text is cut after 60 characters")
    func shortening() {
        let sixty = String(repeating: "x", count: 60)
        #expect(sixty.quoted == "“\(sixty)”")
        #expect((sixty + "y").quoted == "“\(sixty)…”")
        #expect(String(repeating: "\u{0}", count: 1_000_000).quoted.utf8.count < 500)
    }
}
