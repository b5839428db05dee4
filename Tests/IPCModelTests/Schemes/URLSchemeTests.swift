import IPCModel
import Testing

@Suite("URLScheme, RFC 3986 §3.1")
struct URLSchemeTests {
    @Test(
        "A scheme is a letter, then letters, digits, “+”, “-”, “.”",
        arguments: [
            "a", "Z", "http", "HTTP", "IPCServer.demo", "ipcserver.demo", "IPCSERVER.DEMO", "x-callback", "a+b", "a-b",
            "a.b", "a1", "h323", "a+-.", "z39.50r", "view-source", "ms-settings", "com.example.app", "A0", "a.......b",
            "svn+ssh", String(repeating: "s", count: 255),
        ])
    func good(text: String) throws {
        let scheme = try URLScheme(text)
        #expect(scheme.spelling == text)
        #expect(scheme.canonical == text.lowercased())
        #expect(scheme.description == text)
    }

    private static let badRows: [(text: String, message: String)] = [
        ("", "the scheme is empty; it must start with a letter (RFC 3986 §3.1)"),
        ("1x", "the scheme “1x” starts with a digit, but must start with a letter (RFC 3986 §3.1)"),
        ("9", "the scheme “9” starts with a digit, but must start with a letter (RFC 3986 §3.1)"),
        ("-a", "the scheme “-a” starts with “-”, but must start with a letter (RFC 3986 §3.1)"),
        ("+a", "the scheme “+a” starts with “+”, but must start with a letter (RFC 3986 §3.1)"),
        (".a", "the scheme “.a” starts with “.”, but must start with a letter (RFC 3986 §3.1)"),
        ("_a", "the scheme “_a” starts with “_”, but must start with a letter (RFC 3986 §3.1)"),
        (" a", "the scheme “ a” starts with U+0020, but must start with a letter (RFC 3986 §3.1)"),
        ("\u{0}a", "the scheme “U+0000a” starts with U+0000, but must start with a letter (RFC 3986 §3.1)"),
        ("é", "the scheme “é” starts with “é”, but must start with a letter (RFC 3986 §3.1)"),
        ("日本", "the scheme “日本” starts with “日”, but must start with a letter (RFC 3986 §3.1)"),
        ("ａ", "the scheme “ａ” starts with “ａ”, but must start with a letter (RFC 3986 §3.1)"),
        ("a_b", Self.holding("a_b", "“_”", 2)),
        ("a b", Self.holding("a b", "U+0020", 2)),
        ("a:", "the colon is not part of a scheme; write “a”"),
        ("http:", "the colon is not part of a scheme; write “http”"), ("a:b", Self.holding("a:b", "“:”", 2)),
        ("a/b", Self.holding("a/b", "“/”", 2)),
        ("a%41", Self.holding("a%41", "“%”", 2)),
        ("a\n", Self.holding("aU+000A", "U+000A", 2)),
        ("ab\u{1B}[31m", Self.holding("abU+001B[31m", "U+001B", 3)),
        ("aé", Self.holding("aé", "“é”", 2)),
        ("aİ", Self.holding("aİ", "“İ”", 2)),
        ("a\u{7F}", Self.holding("aU+007F", "U+007F", 2)),
        ("a\u{202E}b", Self.holding("aU+202Eb", "U+202E", 2)),
        ("K\u{212A}", Self.holding("K\u{212A}", "“\u{212A}”", 2)),
    ]

    @Test("A bad scheme is refused, and the message says what is wrong", arguments: badRows)
    func bad(text: String, message: String) {
        let error = #expect(throws: IPCError.self) { try URLScheme(text) }
        #expect(error?.ipcError == IPCError(.invalidName, message))
        if let error { expectSentence(error) }
    }

    private static func holding(_ quoted: String, _ scalar: String, _ position: Int) -> String {
        "the scheme “\(quoted)” has \(scalar) as character \(position); "
            + "RFC 3986 §3.1 allows only letters, digits, “+”, “-” and “.”"
    }

    @Test("A scheme of 256 bytes is refused with both numbers and a shortened text")
    func tooLong() {
        let text = String(repeating: "s", count: 256)
        let error = #expect(throws: IPCError.self) { try URLScheme(text) }
        let shown = String(repeating: "s", count: 60)
        #expect(error?.description == "the scheme “\(shown)…” has 256 bytes; at most 255 are allowed")
    }

    @Test(
        "Schemes are equal, and hash equally, without regard to case",
        arguments: ["ipcserver.demo", "IPCServer.demo", "IPCSERVER.DEMO", "iPcSeRvEr.DeMo"])
    func caseInsensitive(text: String) throws {
        let scheme = try URLScheme(text)
        let other = URLScheme("IPCServer.demo")
        #expect(scheme == other)
        #expect(Set([scheme, other]).count == 1)
        #expect(!(scheme < other) && !(other < scheme))
        #expect(scheme != URLScheme("IPCClient.demo"))
    }

    @Test(
        "I22: reserved schemes are known in every spelling",
        arguments: [
            "http", "https", "file", "ftp", "mailto", "tel", "data", "javascript", "vbscript", "about", "blob",
            "view-source", "dbus", "HTTP", "Https", "FILE", "MailTo", "JavaScript", "VIEW-SOURCE", "DBus",
        ])
    func reserved(text: String) throws {
        #expect(try URLScheme(text).isReserved)
    }

    @Test("I22: no other scheme is reserved", arguments: ["IPCServer.demo", "httpx", "h", "ws", "ssh", "view-sourc"])
    func notReserved(text: String) throws {
        #expect(try !URLScheme(text).isReserved)
        #expect(URLScheme.reserved.count == 13)
    }
}
