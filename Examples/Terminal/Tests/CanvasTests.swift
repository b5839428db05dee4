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
}
