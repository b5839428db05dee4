internal import IPC
private import IPCModel

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

    /// A text, or nothing where it is empty.
    package static func nonEmpty(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

    /// An object without the members that have no value.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }
}

extension JSONValue {
    /// The JSON text, on one line and without blanks. Beyond what RFC 8259 §7 asks for, DEL and the controls and line
    /// separators of Unicode are escaped, so that one text stays one line for every reader and harmless on a terminal.
    package var text: String { tree.text { $0.breaksLines ? $0.escaped : nil } }

    private var tree: JSONTree {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let value): .number(String(value))
        case .unsigned(let value): .number(String(value))
        case .double(let value): value.isFinite ? .number("\(value)") : .string("\(value)")
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.tree))
        case .object(let members): .object(members.map { ($0.key, $0.value.tree) })
        }
    }
}
