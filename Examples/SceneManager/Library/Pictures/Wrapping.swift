internal import Terminal

extension String {
    /// The text in lines of at most this many columns. Lines break at spaces, between characters of scripts without
    /// spaces, and within words that are longer than a line. Existing line breaks are kept.
    public func wrapped(columns: Int) -> [String] {
        let columns = Swift.max(2, columns)
        return split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
            var lines: [String] = []
            var rest = Array(paragraph)
            while String(rest).displayWidth > columns {
                // Take at least one character, so that the loop ends.
                let fitting = Swift.max(1, String(rest).prefix(columns: columns).count)
                let count = (1...fitting).last { rest.canEndLine(at: $0) } ?? fitting
                var line = rest.prefix(count)
                while line.last == " " { line.removeLast() }
                lines.append(String(line))
                rest = Array(rest.dropFirst(count).drop { $0 == " " })
            }
            return lines + (rest.isEmpty && !lines.isEmpty ? [] : [String(rest)])
        }
    }
}

extension [Character] {
    /// Whether a line may end before the character at `place`: at a space, or in a script whose characters are wide.
    fileprivate func canEndLine(at place: Int) -> Bool {
        func isBreakable(_ character: Character) -> Bool { character == " " || character.displayWidth > 1 }
        return !Self.neverBeginLine.contains(self[place]) && (isBreakable(self[place - 1]) || isBreakable(self[place]))
    }

    /// No line may begin with these (JIS X 4051: closing brackets, full stops, commas, small kana and the like).
    private static var neverBeginLine: String { "。、，．」』）】〉》！？：；ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ" }
}
