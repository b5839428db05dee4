/// Methods that follow and control an ``EntryField``, named after those of `UITextFieldDelegate`. All are optional.
public protocol EntryHooks {
    /// Whether the field may appear.
    mutating func shouldBegin() -> Bool
    mutating func didBegin()
    /// Whether a change may happen. Called for each change, even if the rule does not allow it.
    mutating func shouldChange(_ change: EntryChange) -> Bool
    mutating func didChange(_ text: String)
    /// Whether the whole text may be cleared with one key.
    mutating func shouldClear(_ text: String) -> Bool
    /// Whether Enter may submit the text.
    /// - Parameter answer: the answer in the text; `nil` while it is incomplete.
    mutating func shouldReturn(_ text: String, as answer: EntryAnswer?) -> Bool
    /// Whether the field may disappear.
    /// - Parameter answer: the answer; `nil` if the person declines.
    mutating func shouldEnd(_ answer: EntryAnswer?) -> Bool
    mutating func didEnd(_ answer: EntryAnswer?)
}

extension EntryHooks {
    public mutating func shouldBegin() -> Bool { true }
    public mutating func didBegin() {}
    public mutating func shouldChange(_ change: EntryChange) -> Bool { true }
    public mutating func didChange(_ text: String) {}
    public mutating func shouldClear(_ text: String) -> Bool { true }
    public mutating func shouldReturn(_ text: String, as answer: EntryAnswer?) -> Bool { true }
    public mutating func shouldEnd(_ answer: EntryAnswer?) -> Bool { true }
    public mutating func didEnd(_ answer: EntryAnswer?) {}
}

/// A change of the text, before it happens.
public struct EntryChange: Sendable, Hashable {
    public let text: String
    /// The characters of ``text`` that are replaced, counted from 0; empty for an insertion.
    public let range: Range<Int>
    /// The text in their place; empty for a deletion.
    public let replacement: String
    /// The text after the change, formatted; `nil` if the rule does not allow it.
    public let result: String?
}
