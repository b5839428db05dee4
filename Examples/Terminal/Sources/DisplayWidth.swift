import CNcurses
import Glibc

extension Unicode.Scalar {
    /// Makes the C library's functions for characters work with UTF-8, in the user's locale if that uses UTF-8.
    static let locale: Void = {
        setlocale(LC_CTYPE, "")
        if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" { setlocale(LC_CTYPE, "C.UTF-8") }
    }()

    /// The columns of this scalar according to `wcwidth`; `nil` if the C library does not know it.
    var knownColumns: Int? {
        if (0x20..<0x7F).contains(value) { return 1 }
        Self.locale
        let width = wcwidth(wchar_t(value))
        return width < 0 ? nil : Int(width)
    }

    /// The number of columns to count for this scalar: one if it is unknown, none if it is a control character.
    var columns: Int { knownColumns ?? (properties.generalCategory == .control ? 0 : 1) }
}

extension Character {
    /// Whether the first scalar takes two columns. The others are then drawn in the same columns.
    var isWide: Bool { unicodeScalars.first { $0.columns > 0 }?.columns == 2 }

    /// The number of columns that this character takes on a terminal: 0, 1 or 2, and more only for a cluster of several
    /// letters.
    ///
    /// It is the sum of the columns that the C library reports for the scalars. If the first one is wide, it is 2: “👨‍👩‍👧”
    /// consists of three pictures that are shown as one.
    public var displayWidth: Int { isWide ? 2 : unicodeScalars.reduce(0) { $0 + $1.columns } }
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

    /// The longest suffix that takes at most this many columns; no character is cut in two.
    func suffix(columns: Int) -> SubSequence {
        var (width, start) = (0, endIndex)
        while start > startIndex {
            let before = index(before: start)
            width += self[before].displayWidth
            guard width <= columns else { break }
            start = before
        }
        return self[start...]
    }

    /// The text without anything that controls a terminal: control characters become their pictures (U+2400 …), and
    /// characters that change the writing direction are removed. Use it for text from other programs.
    public var visible: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case 0x7F: result.append("\u{2421}")
            case 0x80..<0xA0, 0x2028, 0x2029: result.append("\u{FFFD}")
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
