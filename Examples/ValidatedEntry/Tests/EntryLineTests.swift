import EntryRules
import Terminal
import Testing

@Suite struct EntryLineTests {
    private struct NoHooks: EntryHooks {}

    /// The line after these keys, with “|” at the cursor. It is empty at first.
    private func line(
        _ kind: EntryRule.Kind, _ keys: [TerminalEvent], _ locale: EntryLocale = .japanese
    ) throws -> String {
        var hooks = NoHooks()
        var field = try #require(EntryField(EntryRule(kind, locale), &hooks))
        for key in keys { _ = field.take(key, &hooks) }
        return "\(field.line.text.prefix(field.line.cursor))|\(field.line.text.dropFirst(field.line.cursor))"
    }

    private func typed(_ text: String) -> [TerminalEvent] { text.map { .key(.character($0)) } }
    private func times(_ count: Int, _ key: Key) -> [TerminalEvent] { Array(repeating: .key(key), count: count) }

    @Test func `the cursor stays after the sign`() throws {
        #expect(try line(.yen, typed("1234")) == "¥1,234|")
        #expect(try line(.yen, typed("1234") + [.key(.home)]) == "¥|1,234")
        #expect(try line(.time, typed("1405")) == "14:05|")
        #expect(try line(.time, typed("205pm"), .american) == "2:05\u{202F}PM|")
    }

    @Test(
        arguments: [
            (.digits(most: 8), "12345678"), (.number(digits: 8), "12345678"), (.decimal(places: 2), "12345.67"),
            (.yen, "12345678"), (.time, "1105pm"), (.date, "20261231"), (.datetime, "2026/1/2 1:5"),
        ] as [(EntryRule.Kind, String)], EntryLocale.allCases)
    func `Backspace deletes all`(entry: (kind: EntryRule.Kind, text: String), locale: EntryLocale) throws {
        #expect(try line(entry.kind, typed(entry.text), locale) != "|")
        let most = try line(entry.kind, typed(entry.text), locale).count - 1
        #expect(try line(entry.kind, typed(entry.text) + times(most, .backspace), locale) == "|")
    }

    @Test func `digits can be inserted and deleted in the middle, and the cursor stays there`() throws {
        let amount = typed("1234567")
        #expect(try line(.yen, amount + times(4, .left)) == "¥1,234|,567")
        #expect(try line(.yen, amount + times(4, .left) + typed("9")) == "¥12,349|,567")
        #expect(try line(.yen, amount + times(3, .left) + times(1, .backspace)) == "¥1,234|,567")
        #expect(try line(.yen, amount + times(3, .left) + times(2, .backspace)) == "¥123|,567")
        #expect(try line(.time, typed("1405") + times(2, .left) + times(1, .backspace)) == "14|:05")
        #expect(try line(.time, typed("205pm") + times(2, .left) + times(2, .backspace), .american) == "2:0|\u{202F}PM")
        #expect(try line(.date, typed("20261231") + times(3, .left) + times(2, .backspace)) == "2026/|/31")
    }

    @Test func `a paste is validated by the text that results`() throws {
        #expect(try line(.digits(most: 4), typed("1") + [.paste("２３\n")]) == "123|")
        #expect(try line(.digits(most: 4), typed("123") + [.paste("45")]) == "123|", "the whole paste is rejected")
        #expect(try line(.digits(most: 4), [.paste("12a4")]) == "|")
        #expect(try line(.decimal(places: 2), typed("1.5") + [.paste(".5")]) == "1.5|")
        #expect(try line(.yen, [.paste("￥１２３４５円")]) == "¥12,345|")
        #expect(try line(.time, [.paste("14時05分")]) == "14:05|")
        #expect(try line(.datetime, [.paste("2026-02-28T14:05\n")]) == "2026/02/28 14:05|")
    }

    @Test func `Control-U clears the whole line, wherever the cursor is`() throws {
        #expect(try line(.time, typed("1405") + [.key(.left), .key(.control("u"))]) == "|")
        #expect(try line(.yen, [.paste("1234"), .key(.control("u"))] + typed("5")) == "¥5|")
    }
}
