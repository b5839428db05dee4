extension JSONValue {
    /// The JSON text on one line, without whitespace. In addition to the characters below U+0020, which RFC 8259 §7
    /// requires to be escaped, it escapes DEL, the C1 controls and the Unicode line separators, so that every reader
    /// sees one line and a terminal does not interpret any of it.
    package var text: String { text(depth: nil) }

    /// The JSON text with each member or element on its own line, indented by two spaces per level.
    package var indentedText: String { text(depth: 0) }

    /// - Parameter depth: the nesting level of the value in an indented text; `nil` for text on one line.
    private func text(depth: Int?) -> String {
        var text = ""
        write(to: &text, depth)
        return text
    }

    private func write(to text: inout String, _ depth: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): text += Self.quoted(string)
        case .array(let elements):
            Self.write(elements, "[", "]", to: &text, depth) { $0.write(to: &$1, $2) }
        case .object(let members):
            Self.write(members, "{", "}", to: &text, depth) { member, text, depth in
                text += Self.quoted(member.key) + (depth == nil ? ":" : ": ")
                member.value.write(to: &text, depth)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ start: String, _ end: String, to text: inout String, _ depth: Int?,
        _ write: (Element, inout String, Int?) -> Void
    ) {
        func startLine(_ depth: Int?) {
            if let depth { text += "\n" + String(repeating: "  ", count: depth) }
        }
        text += start
        let inner = depth.map { $0 + 1 }
        for (place, element) in elements.enumerated() {
            if place > 0 { text += "," }
            startLine(inner)
            write(element, &text, inner)
        }
        if !elements.isEmpty { startLine(depth) }
        text += end
    }

    private static func quoted(_ string: String) -> String {
        let escaped = string.spelling { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\t": "\\t"
            default: scalar.lineSpelling
            }
        }
        return "\"\(escaped)\""
    }
}
