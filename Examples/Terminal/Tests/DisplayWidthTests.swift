import Terminal
import Testing

@Suite struct DisplayWidthTests {
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("あ", 2), ("か\u{3099}", 2), ("ｱ", 1), ("Ａ", 2), ("漢", 2), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("—", 1), ("¥", 1), ("￥", 2), ("円", 2), ("\u{200B}", 0), ("\u{7}", 0),
            ("😀", 2), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("🇯🇵", 2), ("❤", 1), ("❤️", 2), ("☺︎", 1), ("⌚", 2), ("⌚︎", 2), ("1️⃣", 2),
            ("1", 1),
            ("𠮷", 2), ("葛󠄀", 2),
        ] as [(Character, Int)])
    func `a character occupies the columns that a reader sees`(character: Character, columns: Int) {
        #expect(character.displayWidth == columns)
    }

    @Test func `a text is cut between characters`() {
        let text = "a日本👨‍👩‍👧b"
        #expect(text.displayWidth == 8)
        #expect(
            (0...8).map { String(text.prefix(columns: $0)) } == [
                "", "a", "a", "a日", "a日", "a日本", "a日本", "a日本👨‍👩‍👧", "a日本👨‍👩‍👧b",
            ])
    }

    @Test func `printable text contains no terminal control`() {
        #expect("a\u{1B}[31mb\u{7}\u{9B}2J\u{202E}c".visible == "a␛[31mb␇\u{FFFD}2Jc")
        #expect("日本👨‍👩‍👧が".visible == "日本👨‍👩‍👧が")
    }
}
