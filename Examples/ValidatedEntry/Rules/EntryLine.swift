public import Terminal

extension EntryRule {
    /// The line after a change, as it is to be, or `nil` to refuse the change: what `Terminal.readLine` asks for.
    ///
    /// Where the rule has put something into the text or taken something out, the cursor stays before the same digits. At a
    /// separator it is in front of it, so that Backspace always has a digit to delete.
    public func shape(_ line: LineEditor) -> LineEditor? {
        guard let shaped = shape(line.text) else { return nil }
        guard shaped != line.text else { return LineEditor(shaped, cursor: between(line.cursor, in: shaped)) }
        let behind = Self.significant(String(line.text.dropFirst(line.cursor)).narrow)
        let end = between(.max, in: shaped)
        let cursor =
            behind == 0 ? end : (0...end).first { Self.significant(shaped.dropFirst($0)) <= behind } ?? end
        return LineEditor(shaped, cursor: between(cursor, in: shaped))
    }

    /// A place in the text that is not before its sign or behind its unit.
    private func between(_ cursor: Int, in text: String) -> Int {
        let unit = text.hasSuffix(suffix) ? suffix.count : 0
        let sign = text.hasPrefix(prefix) ? prefix.count : 0
        return min(max(cursor, sign), text.count - unit)
    }

    /// How many characters were entered, rather than put there by the rule.
    private static func significant(_ text: some StringProtocol) -> Int {
        text.filter { $0.isNumber || $0 == "." }.count
    }
}
