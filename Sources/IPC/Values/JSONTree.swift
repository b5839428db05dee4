/// A JSON text (RFC 8259) in memory; a number stays the text that it was, so that no digit is lost.
package indirect enum JSONTree: Sendable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONTree])
    /// The members in their order; of a name that is there twice the last one counts.
    case object([(name: String, value: JSONTree)])

    /// What it is, for people.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONTree {
    /// The JSON text, without blanks.
    var text: String { text { _ in nil } }

    /// The JSON text, without blanks.
    /// - Parameter escaped: the escape of a character that RFC 8259 §7 lets stand as it is.
    package func text(escaping escaped: (Unicode.Scalar) -> String?) -> String {
        var text = ""
        write(to: &text, escaped)
        return text
    }

    private func write(to text: inout String, _ escaped: (Unicode.Scalar) -> String?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): Self.write(string, to: &text, escaped)
        case .array(let elements):
            Self.write(elements, "[", "]", to: &text) { $0.write(to: &$1, escaped) }
        case .object(let members):
            Self.write(members, "{", "}", to: &text) { member, text in
                Self.write(member.name, to: &text, escaped)
                text += ":"
                member.value.write(to: &text, escaped)
            }
        }
    }

    private static func write<Part>(
        _ parts: [Part], _ start: String, _ end: String, to text: inout String, _ part: (Part, inout String) -> Void
    ) {
        text += start
        for (place, element) in parts.enumerated() {
            if place > 0 { text += "," }
            part(element, &text)
        }
        text += end
    }

    /// RFC 8259 §7: quotation mark, reverse solidus and the control characters must be escaped.
    private static func write(
        _ string: String, to text: inout String, _ escaped: (Unicode.Scalar) -> String?
    ) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default:
                if let escape = escaped(scalar) { text += escape } else { text.unicodeScalars.append(scalar) }
            }
        }
        text += "\""
    }
}
