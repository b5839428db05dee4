/// One line of text that is being edited, and its cursor: a value, so that a change can be tried before it is accepted.
///
/// Positions count characters as a reader sees them: one Backspace deletes a whole emoji, or a letter with its marks.
public struct LineEditor: Sendable, Hashable {
    public private(set) var text: String
    /// The number of characters before the cursor.
    public private(set) var cursor: Int

    /// Creates a line with the cursor at `cursor`, or at the end.
    public init(_ text: String = "", cursor: Int? = nil) {
        self.text = Self.oneLine(text)
        self.cursor = min(max(cursor ?? .max, 0), self.text.count)
    }

    /// Applies a key as a line editor does.
    ///
    /// - Returns: `false` if the key has no meaning here, such as Enter.
    @discardableResult
    public mutating func apply(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .backspace: delete(from: cursor - 1, to: cursor)
        case .delete, .control("d"): delete(from: cursor, to: cursor + 1)
        case .control("u"): delete(from: 0, to: cursor)
        case .control("k"): delete(from: cursor, to: text.count)
        case .control("w"): delete(from: startOfWord, to: cursor)
        case .left, .control("b"): cursor = max(cursor - 1, 0)
        case .right, .control("f"): cursor = min(cursor + 1, text.count)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        default: return false
        }
        return true
    }

    /// Applies a key or a paste as a line editor does; returns `false` for any other event.
    @discardableResult
    public mutating func apply(_ event: TerminalEvent) -> Bool {
        if case .key(let key) = event { return apply(key) }
        guard case .paste(let text) = event else { return false }
        insert(text)
        return true
    }

    /// Inserts text, and moves the cursor after it. Line breaks become spaces; other control characters are left out.
    public mutating func insert(_ inserted: String) {
        let before = text.prefix(cursor) + Self.oneLine(inserted)
        let whole = before + text.dropFirst(cursor)
        // The inserted text may merge into one character with its neighbours. The cursor is never inside a character.
        let scalars = before.unicodeScalars.count
        var passed = 0
        cursor = 0
        for character in whole where passed < scalars {
            passed += character.unicodeScalars.count
            cursor += 1
        }
        text = String(whole)
    }

    /// Deletes the whole text.
    public mutating func clear() { self = LineEditor() }

    private mutating func delete(from start: Int, to end: Int) {
        let (start, end) = (max(start, 0), min(end, text.count))
        self = LineEditor(String(text.prefix(start) + text.dropFirst(end)), cursor: start)
    }

    private var startOfWord: Int {
        let before = text.prefix(cursor).reversed()
        let spaces = before.prefix { $0.isWhitespace }.count
        return cursor - spaces - before.dropFirst(spaces).prefix { !$0.isWhitespace }.count
    }

    private static func oneLine(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x2028, 0x2029: result.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The part of the text around the cursor that fits into this many columns, and the cursor's column in it.
    public func window(columns: Int) -> (text: String, cursor: Int) {
        // The cursor needs its own column, even after the last character.
        let before = text.prefix(cursor).suffix(columns: columns - 1)
        let shown = String(before + text.dropFirst(cursor)).prefix(columns: columns)
        return (String(shown), before.displayWidth)
    }
}
