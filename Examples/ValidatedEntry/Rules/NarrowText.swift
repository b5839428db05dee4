extension String {
    /// The text with full-width forms (U+FF01 to U+FF5E) converted to ASCII, and without leading spaces.
    var narrow: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0xFF01...0xFF5E: scalars.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            // The spaces of an input method and of Foundation, which prints U+202F in front of AM and PM.
            case 0x3000, 0x202F: scalars.append(" ")
            // The characters that an input method produces for the period, slash and hyphen keys.
            case 0x3002: scalars.append(".")
            case 0x30FB: scalars.append("/")
            case 0x30FC: scalars.append("-")
            case 0xFFE5: scalars.append("¥")
            default: scalars.append(scalar)
            }
        }
        return String(String(scalars).drop(while: \.isWhitespace))
    }

    /// The text without trailing spaces.
    var trimmed: String { String(reversed().drop(while: \.isWhitespace).reversed()) }
}

extension StringProtocol {
    /// Whether all characters are digits from 0 to 9. Digits of other scripts do not count, because the formatters would
    /// not keep them.
    var isDigits: Bool { utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
}
