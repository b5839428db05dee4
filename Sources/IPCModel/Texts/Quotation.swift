extension String {
    /// The first 60 characters in quotation marks for a message, with control characters written as code points.
    /// Messages go to terminals, logs and D-Bus strings, and quote untrusted text: an escape sequence must not reach a
    /// terminal, a D-Bus string cannot contain NUL, and a name that is a mebibyte long must not fill a log.
    package var quoted: String {
        let shown = unicodeScalars.prefix(60)
        let text = shown.map { $0.isUnfitForMessages ? $0.codePoint : String($0) }.joined()
        return shown.endIndex == unicodeScalars.endIndex ? "“\(text)”" : "“\(text)…”"
    }
}

extension Unicode.Scalar {
    /// The scalar as written in a message: `“-”` if it is visible, otherwise `U+001B`.
    var named: String { isUnfitForMessages || self == " " ? codePoint : "“\(self)”" }

    /// A control character as written in a message: `a line break (U+000A)`.
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

    /// Whether this is a control, format (as for bidirectional text) or line-separating character, or has no glyph.
    fileprivate var isUnfitForMessages: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
