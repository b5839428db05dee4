public import Terminal

extension EntryRule {
    /// Returns the line to show after a change, or `nil` to reject the change. Pass this to `Terminal.readLine`.
    ///
    /// If the rule adds or removes characters, the cursor stays before the same digits. Beside a separator, the cursor
    /// is placed in front of the separator, so that Backspace always deletes a digit.
    public func shape(_ line: LineEditor) -> LineEditor? {
        guard let shaped = shape(line.text) else { return nil }
        guard shaped != line.text else { return LineEditor(shaped, cursor: between(line.cursor, in: shaped)) }
        let behind = Self.significant(String(line.text.dropFirst(line.cursor)).narrow)
        let end = between(.max, in: shaped)
        let cursor =
            behind == 0 ? end : (0...end).first { Self.significant(shaped.dropFirst($0)) <= behind } ?? end
        return LineEditor(shaped, cursor: between(cursor, in: shaped))
    }

    /// Moves a cursor position so that it is after the sign in front of the text and before the unit at its end.
    private func between(_ cursor: Int, in text: String) -> Int {
        let unit = text.hasSuffix(suffix) ? suffix.count : 0
        let sign = text.hasPrefix(prefix) ? prefix.count : 0
        return min(max(cursor, sign), text.count - unit)
    }

    /// The number of characters that the user entered. The others were added by the rule.
    private static func significant(_ text: some StringProtocol) -> Int {
        text.filter { $0.isNumber || $0 == "." }.count
    }
}
