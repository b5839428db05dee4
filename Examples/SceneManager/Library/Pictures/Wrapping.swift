internal import Terminal

extension String {
    /// The text in lines of at most this many columns. Lines break at spaces, between characters of scripts without
    /// spaces, and within words that are longer than a line. Existing line breaks are kept.
    public func wrapped(columns: Int) -> [String] {
        split(separator: "\n", omittingEmptySubsequences: false).flatMap { $0.wrappedLine(columns: max(2, columns)) }
    }
}

extension Substring {
    fileprivate func wrappedLine(columns: Int) -> [String] {
        var lines: [String] = []
        var rest = self
        while rest.displayWidth > columns {
            // Take at least one character, so that the loop ends.
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

    /// Drops characters from the end of a line if the next line would otherwise begin with a character that no line may
    /// begin with.
    private func leaving(_ whole: Substring) -> Substring {
        var line = self
        while line.count > 1, let next = whole[line.endIndex...].first, next.neverBegins { line.removeLast() }
        return line
    }

    /// The part up to the last position at which a line may end; the whole text if there is none.
    private var untilLastBreak: Substring {
        guard let last = lastIndex(where: \.isBreakable) else { return self }
        return self[...last]
    }
}

extension Character {
    /// Whether a line may end after this character, or begin with it. This holds for spaces, and for scripts whose
    /// characters are wide.
    fileprivate var isBreakable: Bool { self == " " || displayWidth > 1 }

    /// Whether no line may begin with this character (JIS X 4051: closing brackets, full stops, commas, small kana and
    /// the like).
    fileprivate var neverBegins: Bool { "。、，．」』）】〉》！？：；ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ".contains(self) }
}
