package import IPCDBus
package import IPCModel

extension JSONValue {
    /// Creates JSON from a D-Bus value, without its type. 64-bit numbers become strings, and bytes become an object
    /// with `base64`. A dictionary with string keys becomes an object, any other dictionary an array of pairs.
    package init(_ value: Value) {
        switch value {
        case .byte(let value): self = .integer(value)
        case .boolean(let value): self = .boolean(value)
        case .int16(let value): self = .integer(value)
        case .uint16(let value): self = .integer(value)
        case .int32(let value): self = .integer(value)
        case .uint32(let value): self = .integer(value)
        case .int64(let value): self = .integer(value)
        case .uint64(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .objectPath(let path): self = .string(path.text)
        case .signature(let signature): self = .string(signature.text)
        case .descriptor: self = .null
        case .bytes(let bytes): self = .object([Member("base64", .string(Base64.encode(bytes)))])
        case .array(_, let elements), .structure(let elements): self = .array(elements.map { JSONValue($0) })
        case .variant(let value): self = JSONValue(value)
        case .dictionary(key: "s", value: _, let entries):
            self = .object(entries.map { Member(JSONValue($0.key).string ?? "", JSONValue($0.value)) })
        case .dictionary(_, _, let entries):
            self = .array(entries.map { .array([JSONValue($0.key), JSONValue($0.value)]) })
        }
    }
}
