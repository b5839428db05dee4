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
}

extension String {
    /// The text with controls but line ends written out: messages quote what anybody sent, and go to terminals.
    package var printable: String {
        guard unicodeScalars.contains(where: { $0.breaksLines && $0 != "\n" }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            text += scalar.breaksLines && scalar != "\n" ? scalar.escaped : String(scalar)
        }
        return text
    }

    /// The text on one line, in sentences and tables: line ends and tabs are `\n`, `\r` and `\t`, and other controls are
    /// written as `\u001b`. A backslash stays, so this is for people and not to be turned back.
    package var onOneLine: String {
        guard unicodeScalars.contains(where: \.breaksLines) else { return self }
        var line = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case _ where scalar.breaksLines: line += scalar.escaped
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
