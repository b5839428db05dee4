/// A JSON text (RFC 8259) in memory. A number keeps its text, so it loses no digits. 64-bit integers are written as
/// strings of decimal digits, because most readers store numbers as doubles and round integers above 2^53.
package enum JSONValue: Sendable, Hashable, ExpressibleByStringLiteral {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    /// The members in order. If a key occurs twice, the last member wins.
    case object([Member])

    package struct Member: Sendable, Hashable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) { (self.key, self.value) = (key, value) }
    }
}

extension JSONValue {
    package init(stringLiteral text: String) { self = .string(text) }

    /// A number, or a string of digits if the type has 64 bits or more.
    package static func integer<Integer: FixedWidthInteger>(_ value: Integer) -> JSONValue {
        Integer.bitWidth < 64 ? .number("\(value)") : .string("\(value)")
    }

    package static func number(_ value: Int32) -> JSONValue { .integer(value) }
    package static func unsigned(_ value: UInt32) -> JSONValue { .integer(value) }
    package static func count(_ value: UInt64) -> JSONValue { .integer(value) }

    /// A number, or one of the strings `inf`, `-inf` and `nan`, because JSON has no such numbers.
    package static func double(_ value: Double) -> JSONValue {
        value.isFinite ? .number("\(value)") : .string("\(value)")
    }

    package static func nonEmpty(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

    /// Creates an object, leaving out the members whose value is `nil`.
    package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// Creates an object whose values are strings, sorted by key.
    package static func strings(_ members: [String: String]) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, .string($0.value)) })
    }
}

extension JSONValue {
    /// The value for a key; `nil` if this is not an object, or does not have the key.
    package subscript(key: String) -> JSONValue? { members?.last { $0.key == key }?.value }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// The text of a number, or of a string that may hold one; `nil` for other values.
    package var digits: String? {
        switch self {
        case .number(let text), .string(let text): text
        default: nil
        }
    }

    /// An unsigned 64-bit integer, from a number or a string of decimal digits; `nil` for other values.
    package var count: UInt64? {
        guard let digits, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(digits)
    }
}
