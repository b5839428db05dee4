/// Encodes a value as JSON, keeping all digits and the order of members.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let slot: Slot

    /// A slot for a value, filled in as the value encodes itself.
    private final class Slot {
        enum Kind {
            case scalar(JSONValue)
            case array
            case object
        }

        /// A value that encodes nothing becomes an empty object.
        var kind = Kind.object
        var elements: [(key: String, slot: Slot)] = []
        private var places: [String: Int] = [:]

        var json: JSONValue {
            switch kind {
            case .scalar(let value): value
            case .array: .array(elements.map(\.slot.json))
            case .object: .object(elements.map { JSONValue.Member($0.key, $0.slot.json) })
            }
        }

        /// Creates a slot for the member with this key, replacing an earlier member with the same key.
        func member(_ key: String) -> Slot {
            let slot = Slot()
            if let place = places[key] {
                elements[place].slot = slot
            } else {
                places[key] = elements.count
                elements.append((key, slot))
            }
            return slot
        }
    }

    static func json(of value: some Encodable) throws -> JSONValue {
        let encoder = ValueEncoder(codingPath: [], slot: Slot())
        try encoder.encode(value)
        return encoder.slot.json
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.kind = .object
        return KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.kind = .array
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { slot.kind = .scalar(.null) }

    func encode(_ value: some Encodable) throws {
        if let scalar = value as? any JSONScalar {
            slot.kind = .scalar(scalar.json)
        } else {
            try value.encode(to: self)
        }
    }

    // The standard library's implementations for 128-bit integers throw an error.
    func encode(_ value: Int128) { slot.kind = .scalar(value.json) }
    func encode(_ value: UInt128) { slot.kind = .scalar(value.json) }
}

extension ValueEncoder {
    private struct Elements: UnkeyedEncodingContainer {
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.slot.elements.count }

        private func next() -> ValueEncoder {
            let slot = Slot()
            let path = codingPath + [JSONPlace(intValue: count)]
            encoder.slot.elements.append(("", slot))
            return ValueEncoder(codingPath: path, slot: slot)
        }

        func encodeNil() { next().encodeNil() }
        func encode(_ value: some Encodable) throws { try next().encode(value) }
        func encode(_ value: Int128) { next().encode(value) }
        func encode(_ value: UInt128) { next().encode(value) }
        func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            next().container(keyedBy: type)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
        func superEncoder() -> any Encoder { next() }
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        private func member(_ key: any CodingKey) -> ValueEncoder {
            ValueEncoder(codingPath: codingPath + [key], slot: encoder.slot.member(key.stringValue))
        }

        func encodeNil(forKey key: Key) { member(key).encodeNil() }
        func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).encode(value) }
        func encode(_ value: Int128, forKey key: Key) { member(key).encode(value) }
        func encode(_ value: UInt128, forKey key: Key) { member(key).encode(value) }
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> {
            member(key).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
        func superEncoder() -> any Encoder { member(JSONPlace.base) }
        func superEncoder(forKey key: Key) -> any Encoder { member(key) }
    }
}

/// The coding key of an array element (its index), or of a superclass's value (`super`).
struct JSONPlace: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }

    static let base = JSONPlace(stringValue: "super")
}
