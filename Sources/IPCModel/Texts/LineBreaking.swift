extension Unicode.Scalar {
    /// Whether this is a control character (C0, DEL, C1) or a line or paragraph separator. Readers may treat such a
    /// character as the end of a line, and terminals may interpret it.
    package var breaksLines: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }

    /// `\u` and four hexadecimal digits. Use it only for a scalar that ``breaksLines``.
    package var escaped: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// `\n`, `\r`, or ``escaped`` for a scalar that ``breaksLines``; `nil` for any other scalar.
    package var lineSpelling: String? {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        default: breaksLines ? escaped : nil
        }
    }
}

extension String {
    /// The string with all control characters except newlines escaped, to show untrusted text on a terminal.
    package var printable: String { spelling { $0.breaksLines && $0 != "\n" ? $0.escaped : nil } }

    /// The string on one line, for messages and tables. Line ends and tabs become `\n`, `\r` and `\t`, other control
    /// characters become `\u001b` and so on. Backslashes are not escaped, so the result cannot be decoded.
    package var onOneLine: String { spelling { $0 == "\t" ? "\\t" : $0.lineSpelling } }

    /// The string with each scalar replaced by what `written` returns for it; `nil` keeps the scalar. Replacing characters
    /// instead would miss a quotation mark that a combining mark follows, because Swift takes the two for one character.
    package func spelling(_ written: (Unicode.Scalar) -> String?) -> String {
        guard unicodeScalars.contains(where: { written($0) != nil }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if let other = written(scalar) { text += other } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
