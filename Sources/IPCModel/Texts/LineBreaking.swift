extension Unicode.Scalar {
    /// Whether it is a control (C0, DEL, C1) or a separator of lines or paragraphs: a reader may end a line there, or a
    /// terminal may interpret it.
    package var breaksLines: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }

    /// `\u` and four hexadecimal digits; only for a scalar that ``breaksLines``.
    package var escaped: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// `\n`, `\r`, or ``escaped`` for a scalar that ``breaksLines``; nil for any other.
    package var lineSpelling: String? {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        default: breaksLines ? escaped : nil
        }
    }
}

extension String {
    /// The text with controls other than line ends escaped, because messages quote untrusted text and go to terminals.
    package var printable: String { spelling { $0.breaksLines && $0 != "\n" ? $0.escaped : nil } }

    /// The text on one line, in sentences and tables: line ends and tabs are `\n`, `\r` and `\t`, and other controls are
    /// written as `\u001b`. A backslash stays, so the text cannot be decoded again.
    package var onOneLine: String { spelling { $0 == "\t" ? "\\t" : $0.lineSpelling } }

    /// The text with some of its characters replaced.
    /// - Parameter written: the replacement; nil for a character that stays.
    package func spelling(_ written: (Unicode.Scalar) -> String?) -> String {
        guard unicodeScalars.contains(where: { written($0) != nil }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if let other = written(scalar) { text += other } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
