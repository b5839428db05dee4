import IPCTesting
import Testing

@testable import IPCModel

@Suite("ContentType, RFC 2045 §5.1")
struct ContentTypeTests {
    private static let goodRows: [(text: String, canonical: String)] = [
        ("text/plain", "text/plain"),
        ("Text/PLAIN", "text/plain"),
        ("text/plain;charset=utf-8", "text/plain;charset=utf-8"),
        ("text/plain; charset=utf-8", "text/plain;charset=utf-8"),
        ("text/plain ;  Charset=UTF-8", "text/plain;charset=utf-8"),
        ("text/plain;charset=\"utf-8\"", "text/plain;charset=utf-8"),
        ("text/plain;format=flowed;charset=utf-8", "text/plain;charset=utf-8;format=flowed"),
        ("text/plain;x=Mixed", "text/plain;x=Mixed"),
        ("text/plain;x=\"\"", "text/plain;x=\"\""),
        ("text/plain;x=\"a b\"", "text/plain;x=\"a b\""),
        ("text/plain;x=\"a;b=c\"", "text/plain;x=\"a;b=c\""),
        ("text/plain;x=\"\\\"\\\\\"", "text/plain;x=\"\\\"\\\\\""),
        ("text/plain;x=\"\\a\"", "text/plain;x=a"),
        ("image/svg+xml", "image/svg+xml"),
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("text/_moz_htmlcontext", "text/_moz_htmlcontext"),
        ("x-special/gnome-copied-files", "x-special/gnome-copied-files"),
        ("chromium/x-web-custom-data", "chromium/x-web-custom-data"),
        ("a/b", "a/b"),
        ("!#$%&'+-.^_`{|}~/1", "!#$%&'+-.^_`{|}~/1"),
        ("application/x-qt;value=\"Shell IDList\"", "application/x-qt;value=\"Shell IDList\""),
        ("UTF8_STRING", "UTF8_STRING"),
        ("STRING", "STRING"),
        ("x-kde-passwordManagerHint", "x-kde-passwordManagerHint"),
        ("com.example.card", "com.example.card"),
    ]

    @Test("A type is a MIME type with parameters or the bare name of an X11 target", arguments: goodRows)
    func good(text: String, canonical: String) throws {
        let type = try ContentType(text)
        #expect(type.text == text)
        #expect(type.canonical == canonical)
        let again = try ContentType(type.canonical)
        #expect(again == type && again.hashValue == type.hashValue && again.canonical == canonical)
    }

    private static let badRows: [(text: String, complaint: String)] = [
        ("", "is empty; write one like “text/plain”"),
        ("/plain", "“/plain” does not start with a type, as in “text/plain” (RFC 2045 §5.1)"),
        ("/", "“/” does not start with a type, as in “text/plain” (RFC 2045 §5.1)"),
        (" text/plain", "“ text/plain” does not start with a type, as in “text/plain” (RFC 2045 §5.1)"),
        (";charset=utf-8", "“;charset=utf-8” does not start with a type, as in “text/plain” (RFC 2045 §5.1)"),
        ("text/", "“text/” has no subtype after the slash; “text/plain” has one (RFC 2045 §5.1)"),
        ("text/;a=b", "“text/;a=b” has no subtype after the slash; “text/plain” has one (RFC 2045 §5.1)"),
        ("text/ plain", "“text/ plain” has no subtype after the slash; “text/plain” has one (RFC 2045 §5.1)"),
        ("*/*", "“*/*” is a range of types; name one type, without “*”"),
        ("image/*", "“image/*” is a range of types; name one type, without “*”"),
        ("two words", wrong("two words", 4, "nothing may follow a bare name")),
        ("UTF8_STRING;a=b", wrong("UTF8_STRING;a=b", 12, "nothing may follow a bare name")),
        ("text/plain/x", wrong("text/plain/x", 11, "“;” must precede a parameter")),
        ("text/plain charset", wrong("text/plain charset", 12, "“;” must precede a parameter")),
        ("text/plain,text/html", wrong("text/plain,text/html", 11, "“;” must precede a parameter")),
        ("text/plain ", wrong("text/plain ", 12, "“;” must precede a parameter")),
        ("text/plain;", wrong("text/plain;", 12, "a parameter must have the form “name=value”")),
        ("text/plain;;a=b", wrong("text/plain;;a=b", 12, "a parameter must have the form “name=value”")),
        ("text/plain;a", wrong("text/plain;a", 13, "a parameter must have the form “name=value”")),
        ("text/plain;a =b", wrong("text/plain;a =b", 13, "a parameter must have the form “name=value”")),
        ("text/plain;=b", wrong("text/plain;=b", 12, "a parameter must have the form “name=value”")),
        ("text/plain;a=", wrong("text/plain;a=", 14, "a value must be a token, or be in quotation marks")),
        ("text/plain;a= b", wrong("text/plain;a= b", 14, "a value must be a token, or be in quotation marks")),
        ("text/plain;a=b c", wrong("text/plain;a=b c", 16, "“;” must precede a parameter")),
        ("text/plain;a=\"b", "“text/plain;a=\"b” has a quotation mark that is not closed (RFC 2045 §5.1)"),
        ("text/plain;a=\"b\\", "“text/plain;a=\"b\\” has a quotation mark that is not closed (RFC 2045 §5.1)"),
        ("text/plain;a=1;A=2", "“text/plain;a=1;A=2” has the parameter “a” twice (RFC 6838 §4.3)"),
        ("text/pläin", "“text/pläin” contains “ä”; RFC 2045 §5.1 allows only printable ASCII"),
        ("text/plain\n", "“text/plainU+000A” contains U+000A; RFC 2045 §5.1 allows only printable ASCII"),
        ("text\u{0}/plain", "“textU+0000/plain” contains U+0000; RFC 2045 §5.1 allows only printable ASCII"),
        ("text/plain;\ta=b", "“text/plain;U+0009a=b” contains U+0009; RFC 2045 §5.1 allows only printable ASCII"),
        ("日本/語", "“日本/語” contains “日”; RFC 2045 §5.1 allows only printable ASCII"),
    ]

    private static func wrong(_ quoted: String, _ byte: Int, _ rule: String) -> String {
        "“\(quoted)” is wrong at byte \(byte): \(rule) (RFC 2045 §5.1)"
    }

    @Test("A bad type is refused, and the message says what is wrong", arguments: badRows)
    func bad(text: String, complaint: String) {
        let error = #expect(throws: ContentType.Invalid.self) { try ContentType(text) }
        #expect(error?.ipcError == IPCError(.invalidArguments, "the content type " + complaint))
    }

    @Test("A type may have 255 bytes, but not 256")
    func length() throws {
        let longest = "text/" + String(repeating: "x", count: 250)
        #expect(try ContentType(longest).text == longest)
        #expect(throws: ContentType.Invalid.tooLong(longest + "x")) { try ContentType(longest + "x") }
    }

    private static let equalRows: [(String, String)] = [
        ("text/plain", "TEXT/Plain"),
        ("text/plain;charset=utf-8", "text/plain; charset=utf-8"),
        ("text/plain;charset=utf-8", "text/plain ; charset=utf-8"),
        ("text/plain;charset=utf-8", "text/plain;CHARSET=UTF-8"),
        ("text/plain;charset=utf-8", "text/plain;charset=\"UTF-8\""),
        ("text/plain;charset=utf-8", "public.utf8-plain-text"),
        ("text/plain;a=1;b=2", "text/plain;b=2;a=1"),
        ("text/plain;a=\"x\"", "text/plain;A=x"),
        ("image/png", "Public.PNG"),
    ]

    @Test("Types are equal as RFC 2045 defines it", arguments: equalRows)
    func equal(left: String, right: String) throws {
        let (left, right) = (try ContentType(left), try ContentType(right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left.canonical == right.canonical)
    }

    private static let unequalRows: [(String, String)] = [
        ("text/plain", "text/html"),
        ("text/plain", "text/plain;charset=utf-8"),
        ("text/plain;charset=utf-8", "text/plain;charset=utf-16"),
        ("text/plain;x=a", "text/plain;x=A"),
        ("text/plain;x=\"a b\"", "text/plain;x=\"a  b\""),
        ("text/plain;a=b;c=d", "text/plain;a=\"b;c=d\""),
        ("STRING", "string"),
        ("UTF8_STRING", "text/plain;charset=utf-8"),
    ]

    @Test("Types that differ in anything else are different", arguments: unequalRows)
    func unequal(left: String, right: String) throws {
        let (left, right) = (try ContentType(left), try ContentType(right))
        #expect(left != right)
        #expect(left.canonical != right.canonical)
    }

    private static let constantRows: [(ContentType, String)] = [
        (.utf8PlainText, "text/plain;charset=utf-8"), (.plainText, "text/plain"), (.url, "text/uri-list"),
        (.html, "text/html"), (.json, "application/json"), (.png, "image/png"), (.jpeg, "image/jpeg"),
        (.octetStream, "application/octet-stream"),
    ]

    @Test("Each constant equals its parsed text", arguments: constantRows)
    func constants(type: ContentType, text: String) throws {
        #expect(type.text == text && type.canonical == text)
        #expect(try ContentType(text) == type)
    }

    private static let utf8Rows: [(String, Bool)] = [
        ("text/plain", true), ("text/plain;charset=UTF-8", true), ("text/plain;charset=us-ascii", true),
        ("text/plain;format=flowed;charset=utf-8", true), ("UTF8_STRING", true), ("public.plain-text", true),
        ("text/plain;charset=utf-16", false), ("text/plain;charset=iso-8859-1", false), ("text/html", false),
        ("application/json", false), ("STRING", false),
    ]

    @Test("Types of plain text in UTF-8 are recognized", arguments: utf8Rows)
    func utf8(text: String, expected: Bool) throws {
        #expect(try ContentType(text).isUTF8PlainText == expected)
    }

    /// The parser is the reference.
    @Test func `a type that is its own essence need not be parsed`() throws {
        var random = SeededGenerator(seed: 1)
        let pieces = [
            "a", "A", "*", ";", "=", " ", "é", "@", ".+", "text", "x-b", "09", "{|}", "c", "d", "e", "vnd", "/", "/",
            "/", "/",
        ]
        var (essences, others) = (0, 0)
        for length in (0..<20_000).map({ _ in Int.random(in: 0...5, using: &random) }) + [100, 200, 254, 255, 256] {
            let text =
                length < 100
                ? (0..<length).map { _ in pieces.randomElement(using: &random)! }.joined()
                : "a/" + String(repeating: "b", count: length - 2)
            var grammar = try? ContentTypeGrammar(text)
            let parsed = try? grammar?.parse()
            let isEssence = parsed.map { $0.essence == text && text.contains("/") && $0.parameters.isEmpty } ?? false
            // Subtypes such as “a*” are left to the parser.
            #expect(ContentTypeGrammar.isEssence(text) == (isEssence && !text.contains("*")), "\(text)")
            if isEssence { essences += 1 } else { others += 1 }
        }
        #expect(essences > 300 && others > 300)
    }
}
