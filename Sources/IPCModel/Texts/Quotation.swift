extension String {
    /// The most characters of a text that a message quotes.
    private static let quotedCharacters = 60

    /// The text in quotation marks for a message: shortened, with control characters spelled out.
    ///
    /// A message goes to terminals, logs and D-Bus strings, and what it quotes comes from anybody: an escape sequence
    /// must not reach a terminal, NUL cannot stand in a D-Bus string, and a name of a mebibyte must not fill a log.
    package var quoted: String {
        var result = "“"
        var count = 0
        for scalar in unicodeScalars {
            if count == Self.quotedCharacters {
                result += "…"
                break
            }
            result += scalar.isUnfitForMessages ? scalar.codePoint : String(scalar)
            count += 1
        }
        return result + "”"
    }
}

extension Unicode.Scalar {
    /// The scalar as a message names it: `“-”` where it can be seen, else `U+001B`.
    var named: String {
        isUnfitForMessages || self == " " ? codePoint : "“\(self)”"
    }

    /// A control character as a message names it: `a line break (U+000A)`.
    var namedControl: String {
        switch self {
        case "\n": "a line break (\(codePoint))"
        case "\r": "a carriage return (\(codePoint))"
        case "\t": "a tab (\(codePoint))"
        default: "the control character \(codePoint)"
        }
    }

    /// The scalar in the notation of the Unicode Standard, `U+` and at least four digits.
    fileprivate var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
    }

    /// Controls, formats (which include the bidirectional overrides), line separators, and what has no glyph.
    fileprivate var isUnfitForMessages: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
