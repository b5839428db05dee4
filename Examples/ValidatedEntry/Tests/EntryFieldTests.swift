import EntryRules
import Terminal
import Testing

@Suite struct EntryFieldTests {
    /// Records each call, and refuses those that begin with a text.
    private struct Recorder: EntryHooks {
        var refused = "nothing"
        var calls: [String] = []

        private mutating func record(_ call: String) -> Bool {
            calls.append(call)
            return !call.hasPrefix(refused)
        }

        mutating func shouldBegin() -> Bool { record("begin?") }
        mutating func didBegin() { _ = record("begun") }
        mutating func shouldChange(_ change: EntryChange) -> Bool {
            record("change? \(change.range) “\(change.replacement)” → \(change.result ?? "-")")
        }
        mutating func didChange(_ text: String) { _ = record("changed \(text)") }
        mutating func shouldClear(_ text: String) -> Bool { record("clear? \(text)") }
        mutating func shouldReturn(_ text: String, as answer: EntryAnswer?) -> Bool {
            record("return? \(text) as \(answer?.text ?? "-")")
        }
        mutating func shouldEnd(_ answer: EntryAnswer?) -> Bool { record("end? \(answer?.text ?? "-")") }
        mutating func didEnd(_ answer: EntryAnswer?) { _ = record("ended \(answer?.text ?? "-")") }
    }

    private struct NoHooks: EntryHooks {}

    private func field(_ recorder: inout Recorder) throws -> EntryField {
        try #require(EntryField(EntryRule(.number(digits: 4)), &recorder))
    }

    private func typed(_ text: String) -> [TerminalEvent] { text.map { .key(.character($0)) } }

    @Test func `each hook is called at its time`() throws {
        var recorder = Recorder()
        var field = try field(&recorder)
        for event in typed("123") { #expect(field.take(event, &recorder) == .changed) }
        #expect(field.take(.key(.character("x")), &recorder) == .rejected)
        #expect(field.take(.key(.left), &recorder) == .changed)
        #expect(field.take(.paste("９"), &recorder) == .changed)
        #expect(field.take(.key(.control("u")), &recorder) == .changed)
        #expect(field.take(.key(.enter), &recorder) == .rejected)
        #expect(field.take(.paste("5"), &recorder) == .changed)
        #expect(field.take(.key(.enter), &recorder) == .ended(field.rule.finish("5")))
        let expected = [
            "begin?", "begun", "change? 0..<0 “1” → 1", "changed 1", "change? 1..<1 “2” → 12", "changed 12",
            "change? 2..<2 “3” → 123", "changed 123", "change? 3..<3 “x” → -", "change? 2..<2 “９” → 1,293",
            "changed 1,293", "clear? 1,293", "changed ", "return?  as -", "change? 0..<0 “5” → 5", "changed 5",
            "return? 5 as 5", "end? 5", "ended 5",
        ]
        #expect(recorder.calls == expected)
    }

    @Test func `a change names the characters that it replaces`() throws {
        var recorder = Recorder()
        var field = try field(&recorder)
        for event in typed("1111") { _ = field.take(event, &recorder) }
        recorder.calls = []
        for key in [Key.home, .delete, .end, .backspace, .left, .control("w")] { _ = field.take(.key(key), &recorder) }
        let changes = recorder.calls.filter { $0.hasPrefix("change?") }
        #expect(changes == ["change? 0..<1 “” → 111", "change? 2..<3 “” → 11", "change? 0..<1 “” → 1"])
    }

    @Test func `a hook can refuse what its name says`() throws {
        var unwilling = Recorder(refused: "begin?")
        #expect(EntryField(EntryRule(.yen), &unwilling) == nil && unwilling.calls == ["begin?"])
        var unchanging = Recorder(refused: "change?")
        var unchanged = try field(&unchanging)
        #expect(unchanged.take(.key(.character("1")), &unchanging) == .rejected && unchanged.line.text.isEmpty)
        for (refused, key) in [("clear?", Key.control("u")), ("return?", .enter), ("end?", .enter), ("end?", .escape)] {
            var recorder = Recorder(refused: refused)
            var field = try field(&recorder)
            _ = field.take(.key(.character("1")), &recorder)
            #expect(field.take(.key(key), &recorder) == .rejected, "\(refused)")
            #expect(field.line.text == "1" && !recorder.calls.contains { $0.hasPrefix("ended") })
        }
    }

    @Test func `a field without hooks accepts what the rule accepts`() throws {
        var hooks = NoHooks()
        var field = try #require(EntryField(EntryRule(.time), &hooks))
        for event in typed("14x05") { _ = field.take(event, &hooks) }
        #expect(field.line.text == "14:05")
        #expect(field.take(.key(.enter), &hooks) == .ended(field.rule.finish("14:05")))
    }

    @Test(arguments: [Key.escape, .control("d")])
    func `Escape, or Control-D in an empty field, declines`(key: Key) throws {
        var recorder = Recorder()
        var field = try field(&recorder)
        #expect(field.take(.key(key), &recorder) == .ended(nil))
        #expect(recorder.calls.suffix(2) == ["end? -", "ended -"])
    }
}
