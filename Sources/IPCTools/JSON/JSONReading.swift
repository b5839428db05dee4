internal import IPC

extension JSONValue {
    /// Reads one JSON text (RFC 8259).
    ///
    /// Strings come back scalar by scalar as they were written. Numbers become ``number(_:)`` or ``unsigned(_:)`` where
    /// they are whole and have 32 bits, else ``double(_:)``. Members keep their order; of a key that stands twice, both
    /// are kept.
    /// - Throws: ``JSONError`` with the place.
    package init(parsing text: some Collection<UInt8>) throws(JSONError) {
        do throws(JSONParser.Flaw) { self.init(try JSONParser.parse(Array(text))) } catch {
            throw JSONError(byte: error.byte, reason: error.reason)
        }
    }

    package init(parsing text: String) throws(JSONError) { try self.init(parsing: text.utf8) }

    private init(_ tree: JSONTree) {
        switch tree {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .number(let digits): self = Self.number(digits)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map(JSONValue.init))
        case .object(let members): self = .object(members.map { Member($0.name, JSONValue($0.value)) })
        }
    }

    private static func number(_ digits: String) -> JSONValue {
        if let number = Int32(digits) { return .number(number) }
        if let number = UInt32(digits) { return .unsigned(number) }
        // The grammar of JSON is a part of Swift's, and what is too large becomes infinite.
        return .double(Double(digits) ?? .nan)
    }
}

extension JSONValue {
    /// The first member with this key; nil where there is none, or this is no object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// A number of 64 bits, which stands there as a string of decimal digits, or a small one as a number.
    package var count: UInt64? {
        switch self {
        case .string(let text) where text.utf8.allSatisfy { (0x30...0x39).contains($0) }: UInt64(text)
        case .number(let value): UInt64(exactly: value)
        case .unsigned(let value): UInt64(value)
        default: nil
        }
    }
}

/// A text is no JSON.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// The byte, counted from 1.
    package let byte: Int
    package let reason: String
    package var description: String { "it is no JSON at byte \(byte): \(reason)" }
}
