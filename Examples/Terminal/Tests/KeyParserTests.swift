import Testing

@testable import Terminal

@Suite struct KeyParserTests {
    /// The events of these bytes when they arrive in one piece.
    private func events(_ text: String) -> [TerminalEvent] { parse([Array(text.utf8)]) }

    private func parse(_ pieces: [[UInt8]]) -> [TerminalEvent] {
        var parser = KeyParser()
        return pieces.flatMap { parser.feed($0) } + parser.decide()
    }

    @Test(arguments: [
        ("\u{1B}[A", Key.up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[1;5D", .left), ("\u{1B}[H", .home),
        ("\u{1B}[4~", .end), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[3~", .delete),
        ("\u{1B}[Z", .backTab),
        ("\u{1B}OP", .function(1)), ("\u{1B}[15~", .function(5)), ("\u{1B}[24~", .function(12)), ("\r", .enter),
        ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace), ("\u{08}", .backspace), ("\u{01}", .control("a")),
        ("\u{1B}x", .alt("x")), ("\u{1B}語", .alt("語")), ("\u{1B}", .escape),
    ])
    func `a key is recognized, whole and split at every byte`(sent: String, key: Key) {
        #expect(events(sent) == [.key(key)])
        #expect(parse(sent.utf8.map { [$0] }) == [.key(key)])
    }

    @Test func `text split within a character waits for the rest`() {
        let bytes = Array("aあ🇯🇵".utf8)
        let whole: [TerminalEvent] = [.key(.character("a")), .key(.character("あ")), .key(.character("🇯🇵"))]
        #expect(parse([bytes]) == whole)
        for cut in 1..<bytes.count {
            // A flag emoji cut between its two letters arrives as two characters; joined, they are the sent text.
            let text = parse([Array(bytes[..<cut]), Array(bytes[cut...])]).map { event in
                if case .key(.character(let character)) = event { String(character) } else { "?" }
            }
            #expect(text.joined() == "aあ🇯🇵", "cut at \(cut)")
        }
    }

    @Test func `a character is not delayed by the bytes after it`() {
        var parser = KeyParser()
        let first = parser.feed([0xE3, 0x81])
        #expect(first.isEmpty && !parser.isUndecided)
        let rest = parser.feed([0x82, 0x41])
        #expect(rest == [.key(.character("あ")), .key(.character("A"))])
    }

    @Test func `invalid bytes are reported, and the text after them is read`() {
        #expect(parse([[0xFF, 0x41]]) == [.key(.character("\u{FFFD}")), .key(.character("A"))])
        #expect(parse([[0xE3, 0x0D]]) == [.key(.character("\u{FFFD}")), .key(.enter)])
    }

    @Test func `an unknown sequence is skipped completely`() {
        #expect(events("\u{1B}[?1;2cx\u{1B}[99~y") == [.key(.character("x")), .key(.character("y"))])
    }

    @Test func `a paste is one event with its line breaks, wherever it is split`() {
        let bytes = Array("a\u{1B}[200~1\r2\r\n\u{1B}[A\u{1B}[201~b".utf8)
        let expected: [TerminalEvent] = [.key(.character("a")), .paste("1\n2\n\u{1B}[A"), .key(.character("b"))]
        #expect(parse([bytes]) == expected)
        for cut in 1..<bytes.count { #expect(parse([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected) }
        #expect(parse(bytes.map { [$0] }) == expected)
    }

    @Test func `Escape twice is Escape, and Escape before a letter waits only for the next byte`() {
        #expect(events("\u{1B}\u{1B}") == [.key(.escape), .key(.escape)])
        var parser = KeyParser()
        let first = parser.feed([0x1B])
        #expect(first.isEmpty && parser.isUndecided)
        let decided = parser.decide()
        #expect(decided == [.key(.escape)])
        let next = parser.feed([0x5B, 0x41])
        #expect(next == [.key(.character("[")), .key(.character("A"))])
    }
}
