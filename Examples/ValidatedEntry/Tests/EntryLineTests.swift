import EntryRules
import Terminal
import Testing

@Suite struct EntryLineTests {
    /// The line after these keys, with “|” at the cursor. It is empty at first, and rejected changes have no effect.
    private func line(_ rule: EntryRule, _ keys: [TerminalEvent]) -> String {
        var line = LineEditor()
        for key in keys {
            var changed = line
            if changed.apply(key), let shaped = rule.shape(changed) { line = shaped }
        }
        return "\(line.text.prefix(line.cursor))|\(line.text.dropFirst(line.cursor))"
    }

    private func typed(_ text: String) -> [TerminalEvent] { text.map { .key(.character($0)) } }
    private func times(_ count: Int, _ key: Key) -> [TerminalEvent] { Array(repeating: .key(key), count: count) }

    @Test func `the cursor stays before the unit and after the sign`() {
        #expect(line(.yen(.suffix), typed("1234")) == "1,234|円")
        #expect(line(.yen(.suffix), typed("1234") + [.key(.end)]) == "1,234|円")
        #expect(line(.yen(.sign), typed("1234") + [.key(.home)]) == "¥|1,234")
        #expect(line(.time, typed("1405")) == "14時05|分")
        #expect(line(.time, typed("14時05")) == "14時05|分")
    }

    @Test(
        arguments: [
            (.digits(most: 8), 8), (.decimal(places: 2), 8), (.yen(.sign), 8), (.yen(.suffix), 8), (.time, 5),
        ] as [(EntryRule, Int)])
    func `Backspace deletes until nothing is left`(rule: EntryRule, most: Int) {
        let text = rule == .time ? "1405" : rule == .decimal(places: 2) ? "12345.67" : "12345678"
        #expect(line(rule, typed(text)) != "|")
        #expect(line(rule, typed(text) + times(most, .backspace)) == "|")
    }

    @Test func `digits can be inserted and deleted in the middle, and the cursor stays there`() {
        let amount = typed("1234567")
        #expect(line(.yen(.suffix), amount + times(4, .left)) == "1,234|,567円")
        #expect(line(.yen(.suffix), amount + times(4, .left) + typed("9")) == "12,349|,567円")
        #expect(line(.yen(.suffix), amount + times(3, .left) + times(1, .backspace)) == "1,234|,567円")
        #expect(line(.yen(.suffix), amount + times(3, .left) + times(2, .backspace)) == "123|,567円")
        #expect(line(.time, typed("1405") + times(2, .left) + times(1, .backspace)) == "14|時05分")
    }

    @Test func `a paste is validated by the text that results`() {
        #expect(line(.digits(most: 4), typed("1") + [.paste("２３\n")]) == "123|")
        #expect(line(.digits(most: 4), typed("123") + [.paste("45")]) == "123|", "the whole paste is rejected")
        #expect(line(.digits(most: 4), [.paste("12a4")]) == "|")
        #expect(line(.decimal(places: 2), typed("1.5") + [.paste(".5")]) == "1.5|")
        #expect(line(.yen(.sign), [.paste("￥１２３４５円")]) == "¥12,345|")
        #expect(line(.time, [.paste("14:05")]) == "14時05|分")
    }

    @Test func `the line can be cleared at once, even after a paste`() {
        #expect(line(.time, typed("1405") + [.key(.control("u"))]) == "|")
    }
}
