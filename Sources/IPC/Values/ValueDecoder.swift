/// Decodes a value from JSON. Numbers may be JSON numbers, or strings as ``ValueEncoder`` writes them.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let json: JSONValue

    static func value<Content: Decodable>(_ type: Content.Type, of json: JSONValue) throws -> Content {
        try ValueDecoder(codingPath: [], json: json).decode(type)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = json.members else { throw mismatch("an object", [String: Any].self) }
        let values = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
        return KeyedDecodingContainer(Members(codingPath: codingPath, members: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = json.array else { throw mismatch("an array", [Any].self) }
        return Elements(codingPath: codingPath, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { json == .null }

    func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
        guard let scalar = type as? any JSONScalar.Type else { return try Content(from: self) }
        guard let content = scalar.read(json) as? Content else { throw mismatch(scalar.wanted, type) }
        return content
    }

    // The standard library's implementations for 128-bit integers throw an error.
    func decode(_ type: Int128.Type) throws -> Int128 { try scalar() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar() }

    private func scalar<Content: JSONScalar>() throws -> Content {
        guard let content = Content.read(json) else { throw mismatch(Content.wanted, Content.self) }
        return content
    }

    private func mismatch(_ wanted: String, _ type: Any.Type) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "expected \(wanted), found \(json.kind)"))
    }
}

extension JSONValue {
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number(let text), .string(let text): "“\(text.prefix(100))”"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension ValueDecoder {
    private struct Elements: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey]
        let elements: [JSONValue]
        var currentIndex = 0

        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex == elements.count }

        /// Reads the next element. If that fails, the position does not change.
        private mutating func next<Content>(_ read: (ValueDecoder) throws -> Content) throws -> Content {
            let path = codingPath + [JSONPlace(intValue: currentIndex)]
            guard !isAtEnd else {
                let reason = "the array has only \(elements.count) elements"
                throw DecodingError.valueNotFound(Content.self, .init(codingPath: path, debugDescription: reason))
            }
            let content = try read(ValueDecoder(codingPath: path, json: elements[currentIndex]))
            currentIndex += 1
            return content
        }

        mutating func decodeNil() throws -> Bool {
            let isNil = try next { $0.decodeNil() }
            if !isNil { currentIndex -= 1 }
            return isNil
        }

        mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
            try next { try $0.decode(type) }
        }
        mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.decode(type) } }
        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.decode(type) } }
        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            try next { try $0.container(keyedBy: type) }
        }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next { try $0.unkeyedContainer() }
        }
        mutating func superDecoder() throws -> any Decoder { try next { $0 } }
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let codingPath: [any CodingKey]
        let members: [String: JSONValue]

        var allKeys: [Key] { members.keys.compactMap(Key.init) }
        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

        private func member(_ key: any CodingKey) throws -> ValueDecoder {
            guard let member = members[key.stringValue] else {
                let reason = "the object has no “\(key.stringValue)”"
                throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: reason))
            }
            return ValueDecoder(codingPath: codingPath + [key], json: member)
        }

        func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
        func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
            try member(key).decode(type)
        }
        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).decode(type) }
        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).decode(type) }
        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Inner> {
            try member(key).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try member(key).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { try member(JSONPlace.base) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
    }
}
