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
        mutating func shouldEnd(_ ending: EntryEnding) -> Bool { record("end?") }
        mutating func didEnd(_ ending: EntryEnding) { _ = record("ended \(ending.word)") }
    }

    private struct NoHooks: EntryHooks {}

    private func field(refusing refused: String = "nothing") throws -> EntryField<Recorder> {
        try #require(EntryField(EntryRule(.number(digits: 4)), hooks: Recorder(refused: refused)))
    }

    private func typed(_ text: String) -> [TerminalEvent] { text.map { .key(.character($0)) } }

    @Test func `each hook is called at its time`() throws {
        var field = try field()
        for event in typed("123") { #expect(field.take(event) == .changed) }
        #expect(field.take(.key(.character("x"))) == .rejected)
        #expect(field.take(.key(.left)) == .changed)
        #expect(field.take(.paste("９")) == .changed)
        #expect(field.take(.key(.control("u"))) == .changed)
        #expect(field.take(.key(.enter)) == .rejected)
        #expect(field.take(.paste("5")) == .changed)
        #expect(field.take(.key(.enter)) == .ended(.answered(try #require(field.rule.finish("5")))))
        let expected = [
            "begin?", "begun", "change? 0..<0 “1” → 1", "changed 1", "change? 1..<1 “2” → 12", "changed 12",
            "change? 2..<2 “3” → 123", "changed 123", "change? 3..<3 “x” → -", "change? 2..<2 “９” → 1,293",
            "changed 1,293", "clear? 1,293", "changed ", "return?  as -", "change? 0..<0 “5” → 5", "changed 5",
            "return? 5 as 5", "end?", "ended answered",
        ]
        #expect(field.hooks.calls == expected)
    }

    @Test func `a change names the characters that it replaces`() throws {
        var field = try field()
        for event in typed("1111") { _ = field.take(event) }
        field.hooks.calls = []
        for key in [Key.home, .delete, .end, .backspace, .left, .control("w")] { _ = field.take(.key(key)) }
        let changes = field.hooks.calls.filter { $0.hasPrefix("change?") }
        #expect(changes == ["change? 0..<1 “” → 111", "change? 2..<3 “” → 11", "change? 0..<1 “” → 1"])
    }

    @Test func `a hook can refuse what its name says`() throws {
        #expect(EntryField(EntryRule(.yen), hooks: Recorder(refused: "begin?")) == nil)
        var unchangeable = try field(refusing: "change?")
        #expect(unchangeable.take(.key(.character("1"))) == .rejected && unchangeable.line.text.isEmpty)
        for (refused, key) in [("clear?", Key.control("u")), ("return?", .enter), ("end?", .enter), ("end?", .escape)] {
            var field = try field(refusing: refused)
            _ = field.take(.key(.character("1")))
            #expect(field.take(.key(key)) == .rejected, "\(refused)")
            #expect(field.line.text == "1" && !field.hooks.calls.contains { $0.hasPrefix("ended") })
        }
    }

    @Test func `a field without hooks accepts what the rule accepts`() throws {
        var field = try #require(EntryField(EntryRule(.time), hooks: NoHooks()))
        for event in typed("14x05") { _ = field.take(event) }
        #expect(field.line.text == "14:05")
        #expect(field.take(.key(.enter)) == .ended(.answered(try #require(field.rule.finish("14:05")))))
    }

    @Test func `a question is declined by the person, or withdrawn by the program without asking a hook`() throws {
        for key in [Key.escape, .control("d")] {
            var field = try field()
            #expect(field.take(.key(key)) == .ended(.declined))
            #expect(field.hooks.calls.suffix(2) == ["end?", "ended declined"])
        }
        var withdrawn = try field(refusing: "end?")
        withdrawn.withdraw()
        #expect(withdrawn.hooks.calls.suffix(1) == ["ended withdrawn"])
    }
}

extension EntryEnding {
    fileprivate var word: String {
        switch self {
        case .answered: "answered"
        case .declined: "declined"
        case .withdrawn: "withdrawn"
        }
    }
}
