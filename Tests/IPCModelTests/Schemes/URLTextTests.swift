import IPCModel
import Testing

@Suite("URLText, RFC 3986 §3")
struct URLTextTests {
    private static let goodRows: [(text: String, scheme: String)] = [
        ("IPCServer.demo:", "IPCServer.demo"),
        ("IPCServer.demo://IPCServer.demo?key=value", "IPCServer.demo"),
        ("ipcserver.demo://IPCServer.demo?key=value", "ipcserver.demo"),
        ("IPCSERVER.DEMO:x", "IPCSERVER.DEMO"),
        ("a:", "a"),
        ("a::", "a"),
        ("a:b:c", "a"),
        ("a:/", "a"),
        ("a:///", "a"),
        ("a:?", "a"),
        ("a:#", "a"),
        ("a:raw spaces and  two", "a"),
        ("a: ", "a"),
        ("a:100%", "a"),
        ("a:%", "a"),
        ("a:%zz%00%0A", "a"),
        ("a:%E6%97%A5%E6%9C%AC", "a"),
        ("a:日本語", "a"),
        ("a:e\u{301}", "a"),
        ("a:\u{e9}", "a"),
        ("a:\u{1F600}\u{200D}", "a"),
        ("a:\u{85}\u{9F}", "a"),
        ("a:\u{FFFE}\u{10FFFF}", "a"),
        ("a:\"'<>`{}|\\^", "a"),
        ("mailto:user@example.org", "mailto"),
        ("a:[::1]:80/../../etc/passwd", "a"),
        ("a:--help", "a"),
        ("a:$(reboot);`x`&&y", "a"),
    ]

    @Test("I20: a URL stays the same byte for byte", arguments: goodRows)
    func good(text: String, scheme: String) throws {
        let url = try URLText(text)
        #expect(Array(url.text.utf8) == Array(text.utf8))
        #expect(url.scheme.spelling == scheme)
    }

    private static let badRows: [(text: String, message: String)] = [
        ("", "the URL is empty; a URL starts with a scheme and a colon (RFC 3986 §3)"),
        ("nothing", Self.noScheme("nothing") + "; for the scheme itself write “nothing:”"),
        ("no thing", Self.noScheme("no thing")),
        ("/path", Self.noScheme("/path")),
        ("//host/path", Self.noScheme("//host/path")),
        ("path/a:b", Self.noScheme("path/a:b")),
        ("?a:b", Self.noScheme("?a:b")),
        ("#a:b", Self.noScheme("#a:b")),
        ("a?b:c", Self.noScheme("a?b:c")),
        ("a#b:c", Self.noScheme("a#b:c")),
        ("--option", Self.noScheme("--option")),
        ("日本", Self.noScheme("日本")),
        (":", "the URL “:” cannot be opened: the scheme is empty; it must start with a letter (RFC 3986 §3.1)"),
        (
            "1x:y",
            "the URL “1x:y” cannot be opened: the scheme “1x” starts with a digit, "
                + "but must start with a letter (RFC 3986 §3.1)"
        ),
        (
            "-x:y",
            "the URL “-x:y” cannot be opened: the scheme “-x” starts with “-”, "
                + "but must start with a letter (RFC 3986 §3.1)"
        ),
        (
            " a:b",
            "the URL “ a:b” cannot be opened: the scheme “ a” starts with U+0020, "
                + "but must start with a letter (RFC 3986 §3.1)"
        ),
        (
            "a b:c",
            "the URL “a b:c” cannot be opened: the scheme “a b” has U+0020 as character 2; "
                + "RFC 3986 §3.1 allows only letters, digits, “+”, “-” and “.”"
        ),
        (
            "a_b:c",
            "the URL “a_b:c” cannot be opened: the scheme “a_b” has “_” as character 2; "
                + "RFC 3986 §3.1 allows only letters, digits, “+”, “-” and “.”"
        ),
        ("a:\u{0}", Self.control("a:", "the control character U+0000", 3)),
        ("a:b\u{0}c", Self.control("a:b", "the control character U+0000", 4)),
        ("a:\n", Self.control("a:", "a line break (U+000A)", 3)),
        ("a:x\r\ny", Self.control("a:x", "a carriage return (U+000D)", 4)),
        ("a:\t", Self.control("a:", "a tab (U+0009)", 3)),
        ("a:\u{1B}[2J", Self.control("a:", "the control character U+001B", 3)),
        ("a:日\u{7F}", Self.control("a:日", "the control character U+007F", 6)),
        ("\u{1}a:b", Self.control("", "the control character U+0001", 1)),
        ("a\u{1F}:b", Self.control("a", "the control character U+001F", 2)),
    ]

    @Test("A bad URL is refused, and the message says what is wrong", arguments: badRows)
    func bad(text: String, message: String) {
        let error = #expect(throws: IPCError.self) { try URLText(text) }
        #expect(error?.ipcError == IPCError(.invalidURL, message))
        if let error { expectSentence(error) }
    }

    private static func noScheme(_ quoted: String) -> String {
        "the URL “\(quoted)” has no scheme; a URL must start with one, as in “scheme:rest” (RFC 3986 §3)"
    }

    private static func control(_ quoted: String, _ scalar: String, _ byte: Int) -> String {
        "the URL “\(quoted)…” contains \(scalar) as byte \(byte); "
            + "percent-encode it (RFC 3986 §2.1)"
    }

    @Test("Every control character is rejected at every position", arguments: Array(0...0x1F) + [0x7F])
    func everyControl(value: UInt8) {
        let control = Character(Unicode.Scalar(value))
        for text in ["\(control)a:b", "a\(control):b", "a:\(control)", "a:b\(control)c"] {
            #expect(throws: IPCError.self) { try URLText(text) }
        }
    }

    @Test("A URL of 1 MiB passes unchanged, and a longer one is rejected with both numbers")
    func longest() throws {
        let text = "a:" + String(repeating: "x", count: 1_048_574)
        #expect(try URLText(text).text == text)
        let error = #expect(throws: IPCError.self) { try URLText(text + "x") }
        #expect(
            error?.description
                == "the URL has 1048577 bytes; at most 1048576 are allowed, send the rest as payload")
    }

    @Test("URLs are compared byte by byte: canonical equivalence is not equality")
    func bytewise() throws {
        let composed = try URLText("a:\u{e9}")
        let decomposed = try URLText("a:e\u{301}")
        #expect(composed.text == decomposed.text, "the String comparison that the type avoids")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(try URLText("A:x") != URLText("a:x"))
        #expect(try composed == URLText("a:\u{e9}"))
    }
}
