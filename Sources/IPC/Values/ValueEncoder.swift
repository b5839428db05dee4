/// Encodes any value into a JSON tree, in which no number loses a digit.
struct ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let slot: Slot

    /// A place in the tree that fills while the value writes itself.
    fileprivate final class Slot {
        enum Content {
            case nothing
            case scalar(JSONTree)
            case array([Slot])
            case object([(name: String, value: Slot)])
        }

        var content = Content.nothing

        var tree: JSONTree {
            switch content {
            case .nothing: .object([])
            case .scalar(let tree): tree
            case .array(let elements): .array(elements.map(\.tree))
            case .object(let members): .object(members.map { ($0.name, $0.value.tree) })
            }
        }

        func element() -> Slot {
            guard case .array(var elements) = content else { preconditionFailure("this place holds no array") }
            content = .nothing
            let slot = Slot()
            elements.append(slot)
            content = .array(elements)
            return slot
        }

        func member(_ name: String) -> Slot {
            guard case .object(var members) = content else { preconditionFailure("this place holds no object") }
            content = .nothing
            let slot = Slot()
            if let place = members.firstIndex(where: { $0.name == name }) {
                members[place].value = slot
            } else {
                members.append((name, slot))
            }
            content = .object(members)
            return slot
        }

        func put(_ value: some Encodable, _ path: @autoclosure () -> [any CodingKey]) throws {
            if let scalar = value as? any JSONScalar {
                content = .scalar(scalar.jsonTree)
            } else {
                try value.encode(to: ValueEncoder(codingPath: path(), slot: self))
            }
        }
    }

    /// The tree of a value.
    static func tree(of value: some Encodable) throws -> JSONTree {
        let slot = Slot()
        try slot.put(value, [])
        return slot.tree
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // A value may ask more than once, as a class does for its superclass.
        if case .object = slot.content {} else { slot.content = .object([]) }
        return KeyedEncodingContainer(Members(codingPath: codingPath, slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = slot.content {} else { slot.content = .array([]) }
        return Elements(codingPath: codingPath, slot: slot)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(codingPath: codingPath, slot: slot) }
}

extension ValueEncoder {
    private struct Single: SingleValueEncodingContainer {
        let codingPath: [any CodingKey]
        let slot: Slot

        mutating func encodeNil() { slot.content = .scalar(.null) }
        mutating func encode<Content: Encodable>(_ value: Content) throws { try slot.put(value, codingPath) }
        // For these two the standard library has an implementation that refuses.
        mutating func encode(_ value: Int128) throws { slot.content = .scalar(value.jsonTree) }
        mutating func encode(_ value: UInt128) throws { slot.content = .scalar(value.jsonTree) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let codingPath: [any CodingKey]
        let slot: Slot
        var count: Int { if case .array(let elements) = slot.content { elements.count } else { 0 } }

        private var inside: [any CodingKey] { codingPath + [JSONPlace(intValue: count)] }

        mutating func encodeNil() { slot.element().content = .scalar(.null) }

        mutating func encode<Content: Encodable>(_ value: Content) throws {
            let path = inside
            try slot.element().put(value, path)
        }

        mutating func encode(_ value: Int128) throws { slot.element().content = .scalar(value.jsonTree) }
        mutating func encode(_ value: UInt128) throws { slot.element().content = .scalar(value.jsonTree) }

        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            nested().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { nested() }

        private func nested() -> ValueEncoder {
            let path = inside
            return ValueEncoder(codingPath: path, slot: slot.element())
        }
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let codingPath: [any CodingKey]
        let slot: Slot

        mutating func encodeNil(forKey key: Key) { slot.member(key.stringValue).content = .scalar(.null) }

        mutating func encode<Content: Encodable>(_ value: Content, forKey key: Key) throws {
            try slot.member(key.stringValue).put(value, codingPath + [key])
        }

        mutating func encode(_ value: Int128, forKey key: Key) throws {
            slot.member(key.stringValue).content = .scalar(value.jsonTree)
        }

        mutating func encode(_ value: UInt128, forKey key: Key) throws {
            slot.member(key.stringValue).content = .scalar(value.jsonTree)
        }

        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> {
            nested(key).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            nested(key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { nested(JSONPlace.base) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

        private func nested(_ key: any CodingKey) -> ValueEncoder {
            ValueEncoder(codingPath: codingPath + [key], slot: slot.member(key.stringValue))
        }
    }
}

/// The place of an element, or of what a superclass has written.
struct JSONPlace: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }

    /// Where a class keeps what its superclass writes.
    static let base = JSONPlace(stringValue: "super")
}
