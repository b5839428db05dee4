public import Terminal

/// A field in which one answer is entered: the text, the cursor, and the hooks that are called for each event.
public struct EntryField<Hooks: EntryHooks> {
    /// What an event did to the field.
    public enum Effect: Sendable, Hashable {
        case unchanged, changed, rejected
        case ended(EntryEnding)
    }

    public let rule: EntryRule
    public var hooks: Hooks
    public private(set) var line = LineEditor()

    /// Returns an empty field; `nil` if a hook does not let it begin.
    public init?(_ rule: EntryRule, hooks: Hooks) {
        (self.rule, self.hooks) = (rule, hooks)
        guard self.hooks.shouldBegin() else { return nil }
        self.hooks.didBegin()
    }

    /// Does what an event does in a text field: Enter submits, Escape declines, Control-U clears the whole text.
    public mutating func take(_ event: TerminalEvent) -> Effect {
        switch event {
        case .key(.enter): return submit()
        case .key(.escape): return end(.declined)
        case .key(.control("d")) where line.text.isEmpty: return end(.declined)
        case .key(.control("u")): return clear()
        case .key, .paste: return edit(event)
        case .resized, .resumed, .interrupted: return .unchanged
        }
    }

    /// Ends the entry because the program that asked no longer waits.
    public mutating func withdraw() { hooks.didEnd(.withdrawn) }

    private mutating func edit(_ event: TerminalEvent) -> Effect {
        var changed = line
        guard changed.apply(event) else { return .rejected }
        let shaped = rule.shape(changed)
        if changed.text != line.text {
            let change = EntryChange(from: line, to: changed, result: shaped?.text)
            guard hooks.shouldChange(change) else { return .rejected }
        }
        return shaped.map { set($0) } ?? .rejected
    }

    private mutating func clear() -> Effect {
        guard !line.text.isEmpty else { return .unchanged }
        return hooks.shouldClear(line.text) ? set(LineEditor()) : .rejected
    }

    private mutating func set(_ new: LineEditor) -> Effect {
        let old = line
        line = new
        if new.text != old.text { hooks.didChange(new.text) }
        return new == old ? .unchanged : .changed
    }

    private mutating func submit() -> Effect {
        let answer = rule.finish(line.text)
        guard hooks.shouldReturn(line.text, as: answer), let answer else { return .rejected }
        return end(.answered(answer))
    }

    private mutating func end(_ ending: EntryEnding) -> Effect {
        guard hooks.shouldEnd(ending) else { return .rejected }
        hooks.didEnd(ending)
        return .ended(ending)
    }
}

extension EntryChange {
    /// Finds the change that a key or a paste made: it ends at the cursor, and the text behind that stayed the same.
    init(from old: LineEditor, to new: LineEditor, result: String?) {
        let end = max(0, old.text.count - (new.text.count - new.cursor))
        let inserted = new.text.prefix(new.cursor)
        let start = min(end, zip(old.text.prefix(end), inserted).prefix { $0 == $1 }.count)
        self.init(
            text: old.text, range: start..<end, replacement: String(inserted.dropFirst(start)), result: result)
    }
}
