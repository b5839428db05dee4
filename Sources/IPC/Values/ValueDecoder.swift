/// Decodes any value from a JSON tree; the reverse of ``ValueEncoder``.
struct ValueDecoder: Decoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let tree: JSONTree

    /// The value of a tree.
    static func value<Content: Decodable>(_ type: Content.Type, of tree: JSONTree) throws -> Content {
        try value(type, of: tree, at: [])
    }

    private static func value<Content: Decodable>(
        _ type: Content.Type, of tree: JSONTree, at path: [any CodingKey]
    ) throws -> Content {
        if let scalar = type as? any JSONScalar.Type {
            do throws(JSONMismatch) {
                if let value = try scalar.init(jsonTree: tree) as? Content { return value }
            } catch {
                throw DecodingError.typeMismatch(type, .init(codingPath: path, debugDescription: error.reason))
            }
        }
        return try Content(from: ValueDecoder(codingPath: path, tree: tree))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = tree else { throw mismatch("an object") }
        let values = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
        return KeyedDecodingContainer(Members(codingPath: codingPath, members: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = tree else { throw mismatch("an array") }
        return Elements(codingPath: codingPath, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(codingPath: codingPath, tree: tree) }

    private func mismatch(_ wanted: String) -> DecodingError {
        .typeMismatch(
            JSONTree.self,
            .init(codingPath: codingPath, debugDescription: "\(wanted) is expected, and there is \(tree.kind)"))
    }
}

extension JSONTree {
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}

extension ValueDecoder {
    private struct Single: SingleValueDecodingContainer {
        let codingPath: [any CodingKey]
        let tree: JSONTree

        func decodeNil() -> Bool { tree.isNull }
        func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
            try ValueDecoder.value(type, of: tree, at: codingPath)
        }
        // For these two the standard library has an implementation that refuses.
        func decode(_ type: Int128.Type) throws -> Int128 { try ValueDecoder.value(type, of: tree, at: codingPath) }
        func decode(_ type: UInt128.Type) throws -> UInt128 { try ValueDecoder.value(type, of: tree, at: codingPath) }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey]
        let elements: [JSONTree]
        var currentIndex = 0

        init(codingPath: [any CodingKey], elements: [JSONTree]) {
            self.codingPath = codingPath
            self.elements = elements
        }

        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex == elements.count }
        private var inside: [any CodingKey] { codingPath + [JSONPlace(intValue: currentIndex)] }

        mutating func decodeNil() throws -> Bool {
            guard try current(JSONTree.self).isNull else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode(_ type: Int128.Type) throws -> Int128 { try element(type) }
        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try element(type) }
        mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content { try element(type) }

        private mutating func element<Content: Decodable>(_ type: Content.Type) throws -> Content {
            let value = try ValueDecoder.value(type, of: try current(type), at: inside)
            currentIndex += 1
            return value
        }

        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
        mutating func superDecoder() throws -> any Decoder { try next() }

        private func current(_ type: Any.Type) throws -> JSONTree {
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(
                    type, .init(codingPath: inside, debugDescription: "the array has \(elements.count) elements"))
            }
            return elements[currentIndex]
        }

        private mutating func next() throws -> ValueDecoder {
            let decoder = ValueDecoder(codingPath: inside, tree: try current(JSONTree.self))
            currentIndex += 1
            return decoder
        }
    }

    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let codingPath: [any CodingKey]
        let members: [String: JSONTree]

        var allKeys: [Key] { members.keys.compactMap(Key.init) }
        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
        func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }
        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }
        func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
            try value(type, key)
        }

        private func value<Content: Decodable>(_ type: Content.Type, _ key: Key) throws -> Content {
            try ValueDecoder.value(type, of: try member(key), at: codingPath + [key])
        }

        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Inner> {
            try nested(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try nested(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try nested(JSONPlace.base) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

        private func nested(_ key: any CodingKey) throws -> ValueDecoder {
            ValueDecoder(codingPath: codingPath + [key], tree: try member(key))
        }

        private func member(_ key: any CodingKey) throws -> JSONTree {
            if let member = members[key.stringValue] { return member }
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "the object has no “\(key.stringValue)”"))
        }
    }
}
