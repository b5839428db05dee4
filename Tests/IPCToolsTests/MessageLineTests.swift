import IPCModel
import IPCTools
import Testing

@Suite("One line a message")
struct MessageLineTests {
    @Test(arguments: [
        ("hello", "hello"), ("", ""), ("a b\tc", "a b\tc"), ("日本 😀", "日本 😀"), ("a\\b", #"a\\b"#), ("a\nb", #"a\nb"#),
        ("a\r\nb", #"a\r\nb"#), ("\u{1B}[31m", #"\u001b[31m"#), ("\u{0}", #"\u0000"#), ("\u{85}", #"\u0085"#),
        ("\u{2028}", #"\u2028"#), (#"\n"#, #"\\n"#), (#"\(no text)"#, #"\\(no text)"#), ("\\\u{301}", "\\\\\u{301}"),
    ])
    func escapes(_ text: String, _ line: String) {
        #expect(Array(MessageLine.escaped(text).utf8) == Array(line.utf8))
    }

    @Test(arguments: [
        ("a b", "a b"), ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[2J", #"\u001b[2J"#), (#"a\b"#, #"a\b"#),
        ("\r\n", #"\r\n"#), ("\u{9B}\u{2028}é\u{301}", "\\u009b\\u2028é\u{301}"),
    ])
    func aReasonIsOneLine(_ text: String, _ line: String) {
        #expect(Array(text.onOneLine.utf8) == Array(line.utf8))
        #expect(text.asTold == text.onOneLine)
    }

    /// The end is kept because the last line of a Python traceback names the error.
    @Test func aLongReasonKeepsItsStartAndItsEnd() {
        let fits = String(repeating: "x", count: 300)
        #expect(fits.asTold == fits)
        let trace = "Traceback (most recent call last):\n" + fits + "\nValueError: no such thing"
        #expect(trace.asTold.hasPrefix(#"Traceback (most recent call last):\nxxx"#) && trace.asTold.contains("x … x"))
        #expect(trace.asTold.hasSuffix(#"x\nValueError: no such thing"#) && trace.asTold.count < 310)
        let words = String(repeating: "12345678 ", count: 40)
        #expect(words.asTold.contains(" … ") && !words.asTold.contains("…  "))
    }

    @Test func differentTextsPrintDifferentLines() {
        let pieces = ["\\", "n", "\n", "\r", "u001b", "\u{1B}", "(", "a"]
        let texts = pieces.flatMap { one in pieces.flatMap { two in pieces.map { one + two + $0 } } }
        #expect(Set(texts.map(MessageLine.escaped)).count == Set(texts).count)
    }
}
