internal import Terminal

extension String {
    /// The text in lines of at most so many columns: broken at spaces, between the characters of scripts that are written
    /// without them, and within a word that is longer than a line. Line breaks stay.
    public func wrapped(columns: Int) -> [String] {
        split(separator: "\n", omittingEmptySubsequences: false).flatMap { $0.wrappedLine(columns: max(2, columns)) }
    }
}

extension Substring {
    fileprivate func wrappedLine(columns: Int) -> [String] {
        var lines: [String] = []
        var rest = self
        while rest.displayWidth > columns {
            // At least one character, so that it comes to an end.
            let whole = rest.prefix(Swift.max(1, rest.prefix(columns: columns).count))
            let end = rest[whole.endIndex...].first.map { $0.isBreakable || whole.last?.isBreakable ?? false } ?? true
            let line = (end ? whole : whole.untilLastBreak).leaving(rest)
            var text = line
            while text.last == " " { text.removeLast() }
            lines.append(String(text))
            rest = rest[line.endIndex...].drop { $0 == " " }
        }
        return lines + (rest.isEmpty && !lines.isEmpty ? [] : [String(rest)])
    }

    /// Without the last character, so that it moves to the next line, while that line would begin with one that may not.
    private func leaving(_ whole: Substring) -> Substring {
        var line = self
        while line.count > 1, let next = whole[line.endIndex...].first, next.neverBegins { line.removeLast() }
        return line
    }

    /// The part up to the last place at which a line may end; all of it where there is none.
    private var untilLastBreak: Substring {
        guard let last = lastIndex(where: \.isBreakable) else { return self }
        return self[...last]
    }
}

extension Character {
    /// A line may end behind it, and begin with it: spaces, and scripts whose characters are wide.
    fileprivate var isBreakable: Bool { self == " " || displayWidth > 1 }

    /// No line begins with it (JIS X 4051: closing brackets, full stops, commas, small kana and the like).
    fileprivate var neverBegins: Bool { "。、，．」』）】〉》！？：；ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ".contains(self) }
}
