import CNcurses
import Testing

@testable import Terminal

@Suite struct DisplayWidthTests {
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("あ", 2), ("か\u{3099}", 2), ("ｱ", 1), ("Ａ", 2), ("漢", 2), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("—", 1), ("¥", 1), ("￥", 2), ("円", 2), ("\u{200B}", 0), ("\u{7}", 0),
            ("😀", 2), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("🇯🇵", 2), ("❤", 1), ("❤️", 1), ("⌚", 2), ("⌚︎", 2), ("1️⃣", 1), ("🏳️‍🌈", 3),
            ("𠮷", 2), ("葛󠄀", 2), ("\u{E000}", 1), ("\u{FFFFF}", 1),
        ] as [(Character, Int)])
    func `a character takes the columns of its parts, and two if the first is wide`(character: Character, columns: Int)
    {
        #expect(character.displayWidth == columns)
    }

    /// Characters of any scalars, also unassigned ones.
    @Test func `the columns are those of the C library`() {
        var random = SystemRandomNumberGenerator()
        let scalars = (0..<20_000).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x20...0x1FFFF, using: &random)) }
        #expect("あ".displayWidth == 2, "sets the locale for wcwidth")
        for scalar in scalars where scalar.properties.generalCategory != .control {
            let known = Int(wcwidth(wchar_t(scalar.value)))
            #expect(Character(scalar).displayWidth == (known < 0 ? 1 : known), "U+\(String(scalar.value, radix: 16))")
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        for character in String(text) {
            let widths = character.pieces.map { Int(wcwidth($0[0])) }
            let sum = widths.reduce(0, +)
            #expect(sum == character.displayWidth && widths.allSatisfy { $0 > 0 }, "\(Array(character.unicodeScalars))")
            #expect(character.pieces.allSatisfy { $0.count <= 5 })
        }
    }

    @Test(
        arguments: [
            ("👨‍👩‍👧", ["👨‍👩‍👧"]), ("👨‍👩‍👧‍👦", ["👨‍👩‍👧"]), ("👩‍❤️‍💋‍👨", ["👩‍❤️"]), ("👍🏽", ["👍🏽"]), ("🇯🇵", ["🇯", "🇵"]), ("❤️", ["❤"]),
            ("e\u{301}", ["e\u{301}"]), ("\u{FFFFF}", ["\u{FFFD}"]), ("\u{200B}", []), ("🏳️‍🌈", ["🏳", "🌈"]),
            ("क्‍ष", ["क्\u{200D}", "ष"]),
        ] as [(Character, [String])])
    func `a character is divided into cells that ncurses can count`(character: Character, cells: [String]) {
        #expect(character.pieces == cells.map { $0.unicodeScalars.map { wchar_t($0.value) } })
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
        #expect("a\u{1B}[31mb\u{7}\u{9B}2J\u{202E}\u{61C}c".visible == "a␛[31mb␇\u{FFFD}2Jc")
        #expect("日本👨‍👩‍👧が".visible == "日本👨‍👩‍👧が")
    }
}
