extension Character {
    /// The number of columns that this character takes on a terminal: 0, 1 or 2, and more only for a cluster of several
    /// letters.
    ///
    /// The width of a cluster is not the sum of the widths of its scalars: “👨‍👩‍👧” has five scalars and takes two
    /// columns, and “が” takes two columns although it may consist of か and a mark. `wcwidth` sees one scalar at a time
    /// and cannot know this. Sources: East Asian Width (Unicode Standard Annex 11), where ambiguous characters count as
    /// narrow; emoji presentation (Unicode Technical Standard 51 §4).
    public var displayWidth: Int {
        if isEmojiOnTerminal { return 2 }
        return unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    /// Whether the character is shown as a picture, by default or because of U+FE0F. (U+FE0E asks for text, but
    /// terminals draw that in two columns too.)
    private var isEmojiOnTerminal: Bool {
        guard let first = unicodeScalars.first else { return false }
        return first.properties.isEmojiPresentation
            || first.properties.isEmoji && unicodeScalars.contains { $0.value == 0xFE0F }
    }
}

extension Unicode.Scalar {
    /// The number of columns that the scalar adds to its cluster.
    fileprivate var columns: Int {
        switch value {
        // The vowels and final consonants of Hangul join the syllable before them.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
        default: break
        }
        switch properties.generalCategory {
        // U+00AD, the soft hyphen, is in category Cf, but terminals show it.
        case .control, .format, .lineSeparator, .paragraphSeparator: return value == 0xAD ? 1 : 0
        case .nonspacingMark, .enclosingMark: return 0
        default: return WideScalars.contains(self) ? 2 : 1
        }
    }
}

extension StringProtocol {
    /// The number of columns that the text takes on one line of a terminal.
    public var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The longest prefix that takes at most this many columns; no character is cut in two.
    public func prefix(columns: Int) -> SubSequence {
        var width = 0
        return prefix { character in
            width += character.displayWidth
            return width <= columns
        }
    }

    /// The text without anything that controls a terminal: control characters become their pictures (U+2400 …), and
    /// characters that change the writing direction are left out. Use it for text from other programs.
    public var visible: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case 0x7F: result.append("\u{2421}")
            case 0x80..<0xA0, 0x2028, 0x2029: result.append("\u{FFFD}")
            case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
