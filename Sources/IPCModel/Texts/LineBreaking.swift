extension Unicode.Scalar {
    /// Whether it is a control (C0, DEL, C1) or a separator of lines or paragraphs: some reader would end a line there,
    /// or a terminal would obey it.
    package var breaksLines: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }

    /// `\u` and four hexadecimal digits; only for what ``breaksLines``.
    package var escaped: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// `\n`, `\r`, or ``escaped``, for what would break a line; nil for all else.
    package var lineSpelling: String? {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        default: breaksLines ? escaped : nil
        }
    }
}

extension String {
    /// The text with controls but line ends written out: messages quote what anybody sent, and go to terminals.
    package var printable: String {
        spelling { $0.breaksLines && $0 != "\n" ? $0.escaped : nil }
    }

    /// The text on one line, in sentences and tables: line ends and tabs are `\n`, `\r` and `\t`, and other controls are
    /// written as `\u001b`. A backslash stays, so this is for people and not to be turned back.
    package var onOneLine: String {
        spelling { $0 == "\t" ? "\\t" : $0.lineSpelling }
    }

    /// The text with some of its characters written otherwise.
    /// - Parameter written: how; nil for one that stays.
    package func spelling(_ written: (Unicode.Scalar) -> String?) -> String {
        guard unicodeScalars.contains(where: { written($0) != nil }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if let other = written(scalar) { text += other } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
