internal import Terminal

extension String {
    /// The text in lines of at most this many columns. Lines break at spaces, between characters of scripts without
    /// spaces, and within words that are longer than a line. Existing line breaks are kept.
    public func wrapped(columns: Int) -> [String] {
        split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
            var lines: [String] = []
            var rest = paragraph
            while let end = rest.endOfLine(columns: Swift.max(2, columns)) {
                var line = rest[..<end]
                while line.last == " " { line.removeLast() }
                lines.append(String(line))
                rest = rest[end...].drop { $0 == " " }
            }
            return lines + (rest.isEmpty && !lines.isEmpty ? [] : [String(rest)])
        }
    }
}

extension Substring {
    /// Where the first line ends; `nil` if the text is one line. This reads only what fits on the line, so that the work
    /// for a text grows with its length.
    fileprivate func endOfLine(columns: Int) -> Index? {
        // A line has at least one character, even if that is wider.
        let most = Swift.max(1, prefix(columns: columns).count)
        guard let end = index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex else { return nil }
        return self[...end].indices.dropFirst().last(where: canEndLine) ?? end
    }

    /// Whether a line may end before the character at `place`: at a space, or in a script whose characters are wide.
    private func canEndLine(at place: Index) -> Bool {
        func isBreakable(_ character: Character) -> Bool { character == " " || character.displayWidth > 1 }
        return (isBreakable(self[index(before: place)]) || isBreakable(self[place]))
            && !Self.neverBeginLine.contains(self[place])
    }

    /// No line may begin with these (JIS X 4051: closing brackets, full stops, commas, small kana and the like).
    private static var neverBeginLine: String { "。、，．」』）】〉》！？：；ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ" }
}
