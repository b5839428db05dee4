import Testing

@testable import Terminal

@Suite struct CanvasTests {
    private func canvas(_ rows: String..., columns: Int = 8) -> Canvas {
        var canvas = Canvas(size: TerminalSize(columns: columns, rows: rows.count))
        for (row, text) in rows.enumerated() { canvas.write(text, at: Position(row: row, column: 0)) }
        return canvas
    }

    @Test func `text is cut at the edge and never within a character`() {
        #expect(canvas("abcdefghij").text(row: 0) == "abcdefgh")
        #expect(canvas("1234567日").text(row: 0) == "1234567")
        var narrow = canvas("")
        let end = narrow.write("日本語", at: Position(row: 0, column: 1), columns: 5)
        #expect(end == 5)
        #expect(narrow.text(row: 0) == " 日本")
        narrow.write("x", at: Position(row: 3, column: 0))
        #expect(narrow.text(row: 0) == " 日本")
    }

    @Test func `the rest of a half-overwritten wide character becomes a blank`() {
        var over = canvas("日本語")
        over.write("x", at: Position(row: 0, column: 3))
        #expect(over.text(row: 0) == "日 x語")
        over.write("界", at: Position(row: 0, column: 3))
        #expect(over.text(row: 0) == "日 界")
    }

    @Test func `the first picture is drawn whole`() {
        #expect(canvas("ab", "").change(from: nil) == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mab\u{1B}[0m\u{1B}[?25l")
    }

    @Test func `only differences are drawn`() {
        let old = canvas("hello", "日本語")
        #expect(old.change(from: old).isEmpty)
        let new = canvas("help!", "日木語")
        #expect(
            new.change(from: old)
                == "\u{1B}[?25l\u{1B}[1;4H\u{1B}[0mp!\u{1B}[2;3H木\u{1B}[0m\u{1B}[?25l")
    }

    @Test func `a cursor movement alone is a change`() {
        let old = canvas("a")
        var new = old
        new.cursor = Position(row: 0, column: 1)
        #expect(new.change(from: old) == "\u{1B}[0m\u{1B}[1;2H\u{1B}[?25h")
        #expect(!old.change(from: new).isEmpty)
    }

    @Test func `styles are written only on change, and the position again after a multi-scalar character`() {
        var styled = canvas("")
        styled.write("❤️a", at: Position(row: 0, column: 0), style: Style(foreground: .palette(9)))
        #expect(
            styled.change(from: canvas(""))
                == "\u{1B}[?25l\u{1B}[1;1H\u{1B}[0;38;5;9m❤️\u{1B}[1;3Ha\u{1B}[0m\u{1B}[?25l")
    }

    @Test func `after a change of size, the whole picture is drawn`() {
        #expect(canvas("a", columns: 9).change(from: canvas("a")).contains("\u{1B}[2J"))
    }
}
