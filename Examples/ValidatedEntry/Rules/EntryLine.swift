public import Terminal

extension EntryRule {
    /// Returns the line to show after a change, or `nil` to reject the change.
    ///
    /// If the rule adds or removes characters, the cursor stays before the same digits. Beside a separator, the cursor
    /// is placed in front of the separator, so that Backspace always deletes a digit. It stays after the sign ¥.
    public func shape(_ line: LineEditor) -> LineEditor? {
        guard let shaped = shape(line.text) else { return nil }
        let behind = Self.significant(String(line.text.dropFirst(line.cursor)).narrow)
        let cursor =
            if shaped == line.text { line.cursor } else if behind == 0 { shaped.count } else {
                (0...shaped.count).first { Self.significant(shaped.dropFirst($0)) <= behind } ?? shaped.count
            }
        return LineEditor(shaped, cursor: max(cursor, shaped.hasPrefix("¥") ? 1 : 0))
    }

    /// The number of characters that the user entered. The others were added by the rule.
    private static func significant(_ text: some StringProtocol) -> Int {
        text.filter { $0.isASCII && ($0.isNumber || $0.isLetter) || $0 == "." }.count
    }
}
