/// A JSON text (RFC 8259) before it is written.
///
/// Numbers of 64 bits are strings of decimal digits, because most readers hold a number as a double and lose what is
/// above 2^53; hence there is no case for a number that could be rounded.
package enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// At most 32 bits, so that no reader rounds it.
    case number(Int32)
    case unsigned(UInt32)
    /// Not finite ones become strings, since JSON has no word for them.
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// The members in this order.
    case object([Member])

    package struct Member: Sendable, Hashable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// A number of 64 bits, as a string.
    package static func count(_ value: UInt64) -> JSONValue { .string(String(value)) }

    /// An object without the members that have no value.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }
}

extension JSONValue {
    /// The JSON text, on one line and without blanks.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .unsigned(let value): text += String(value)
        case .double(let value): text += value.isFinite ? "\(value)" : "\"\(value)\""
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements):
            text += "["
            for (place, element) in elements.enumerated() {
                if place > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (place, member) in members.enumerated() {
                if place > 0 { text += "," }
                Self.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    /// RFC 8259 §7; beyond what it asks for, DEL and the controls and line separators of Unicode are escaped, so that one
    /// text stays one line for every reader and harmless on a terminal.
    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.breaksLines: text += scalar.escaped
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
