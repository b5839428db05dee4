import Terminal
import Testing

@Suite struct LineEditorTests {
    private func edited(_ start: LineEditor, _ keys: Key...) -> LineEditor {
        var editor = start
        for key in keys { editor.apply(key) }
        return editor
    }

    @Test func `one Backspace deletes one visible character`() {
        var editor = LineEditor("か\u{3099}👨‍👩‍👧🇯🇵e\u{301}")
        let left = (0..<5).map { _ in
            editor.apply(.backspace)
            return editor.text
        }
        #expect(left == ["か\u{3099}👨‍👩‍👧🇯🇵", "か\u{3099}👨‍👩‍👧", "か\u{3099}", "", ""])
    }

    @Test func `an emoji that arrives in pieces is one character, with the cursor after it`() {
        var editor = LineEditor("ab", cursor: 1)
        for scalar in "👨‍👩‍👧".unicodeScalars { editor.insert(String(scalar)) }
        #expect(editor.text == "a👨‍👩‍👧b" && editor.cursor == 2)
        editor.apply(.backspace)
        #expect(editor == LineEditor("ab", cursor: 1))
    }

    @Test func `text that joins the next character leaves the cursor at a boundary`() {
        var editor = LineEditor("🇵", cursor: 0)
        editor.insert("🇯")
        #expect(editor.text == "🇯🇵" && editor.cursor == 1)
    }

    @Test func `keys move and delete`() {
        let line = LineEditor("one two 三", cursor: 7)
        #expect(edited(line, .control("w")) == LineEditor("one  三", cursor: 4))
        #expect(edited(line, .control("u")) == LineEditor(" 三", cursor: 0))
        #expect(edited(line, .control("k")) == LineEditor("one two"))
        #expect(edited(line, .delete) == LineEditor("one two三", cursor: 7))
        #expect(edited(line, .end, .left, .left, .home, .right).cursor == 1)
        #expect(edited(line, .home, .left, .backspace) == LineEditor("one two 三", cursor: 0))
        #expect(edited(line, .end, .right, .delete) == LineEditor("one two 三"))
        var editor = line
        let means = [Key.enter, .up].map { editor.apply($0) }
        #expect(means == [false, false] && editor == line)
    }

    @Test func `a paste stays on the line and brings no control characters`() {
        var editor = LineEditor()
        editor.apply(.paste("a\r\nb\tc\u{1B}[31m\u{202E}d"))
        #expect(editor.text == "a b c[31md")
    }

    @Test func `the cursor is always visible`() {
        let text = "0123日本語👨‍👩‍👧xyz"
        for cursor in 0...text.count {
            for columns in 3...20 {
                let window = LineEditor(text, cursor: cursor).window(columns: columns)
                #expect(window.text.displayWidth <= columns && window.cursor < columns)
                #expect(text.contains(window.text))
                let before = text.prefix(cursor)
                #expect(before.hasSuffix(window.text.prefix(columns: window.cursor)))
            }
        }
        #expect(LineEditor("abc").window(columns: 10) == ("abc", 3))
    }
}
