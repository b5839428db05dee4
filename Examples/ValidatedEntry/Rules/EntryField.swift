public import Terminal

/// A field in which one answer is entered: the text and the cursor. It calls the hooks for each event.
public struct EntryField: Sendable {
    /// The effect of an event on the field.
    public enum Effect: Sendable, Hashable {
        case unchanged, changed, rejected
        /// The answer, or `nil` if the person declines.
        case ended(EntryAnswer?)
    }

    public let rule: EntryRule
    public private(set) var line = LineEditor()

    /// Returns an empty field; `nil` if the hook `shouldBegin` returns `false`.
    public init?(_ rule: EntryRule, _ hooks: inout some EntryHooks) {
        self.rule = rule
        guard hooks.shouldBegin() else { return nil }
        hooks.didBegin()
    }

    /// Handles an event as a text field does: Enter submits, Escape declines, Control-U clears the whole text.
    public mutating func take(_ event: TerminalEvent, _ hooks: inout some EntryHooks) -> Effect {
        switch event {
        case .key(.enter):
            let answer = rule.finish(line.text)
            guard hooks.shouldReturn(line.text, as: answer), let answer else { return .rejected }
            return end(answer, &hooks)
        case .key(.escape): return end(nil, &hooks)
        case .key(.control("d")) where line.text.isEmpty: return end(nil, &hooks)
        case .key(.control("u")):
            guard !line.text.isEmpty else { return .unchanged }
            return hooks.shouldClear(line.text) ? set(LineEditor(), &hooks) : .rejected
        default: return edit(event, &hooks)
        }
    }

    private mutating func edit(_ event: TerminalEvent, _ hooks: inout some EntryHooks) -> Effect {
        var changed = line
        guard changed.apply(event) else { return .rejected }
        let shaped = rule.shape(changed)
        if changed.text != line.text {
            // A change ends at the new cursor: the text after the cursor is the same as before.
            let end = max(0, line.text.count - (changed.text.count - changed.cursor))
            let inserted = changed.text.prefix(changed.cursor)
            let start = min(end, zip(line.text.prefix(end), inserted).prefix { $0 == $1 }.count)
            let change = EntryChange(
                text: line.text, range: start..<end, replacement: "\(inserted.dropFirst(start))", result: shaped?.text)
            guard hooks.shouldChange(change) else { return .rejected }
        }
        return shaped.map { set($0, &hooks) } ?? .rejected
    }

    private mutating func set(_ new: LineEditor, _ hooks: inout some EntryHooks) -> Effect {
        let old = line
        line = new
        if new.text != old.text { hooks.didChange(new.text) }
        return new == old ? .unchanged : .changed
    }

    private func end(_ answer: EntryAnswer?, _ hooks: inout some EntryHooks) -> Effect {
        guard hooks.shouldEnd(answer) else { return .rejected }
        hooks.didEnd(answer)
        return .ended(answer)
    }
}
