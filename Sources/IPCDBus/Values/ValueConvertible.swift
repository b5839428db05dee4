/// A Swift type that can be the content of a ``Value``, for dictionaries of variants.
public protocol ValueConvertible: DBusCodable {
    var dbusValue: Value { get }
    /// Returns `nil` for a value of another type.
    init?(dbusValue: Value)
}

extension Bool: ValueConvertible {
    public var dbusValue: Value { .boolean(self) }
    public init?(dbusValue: Value) { if case .boolean(let value) = dbusValue { self = value } else { return nil } }
}

extension UInt32: ValueConvertible {
    public var dbusValue: Value { .uint32(self) }
    public init?(dbusValue: Value) { if case .uint32(let value) = dbusValue { self = value } else { return nil } }
}

extension UInt64: ValueConvertible {
    public var dbusValue: Value { .uint64(self) }
    public init?(dbusValue: Value) { if case .uint64(let value) = dbusValue { self = value } else { return nil } }
}

extension String: ValueConvertible {
    public var dbusValue: Value { .string(self) }
    public init?(dbusValue: Value) { if case .string(let value) = dbusValue { self = value } else { return nil } }
}

extension Value: ValueConvertible {
    public var dbusValue: Value { self }
    public init?(dbusValue: Value) { self = dbusValue }
}

extension Array: ValueConvertible where Element: ValueConvertible {
    public var dbusValue: Value { .array(of: Element.dbusSignature, map(Self.element)) }

    private static func element(_ element: Element) -> Value {
        Element.self == Value.self ? .variant(element.dbusValue) : element.dbusValue
    }

    public init?(dbusValue: Value) {
        guard case .array(Element.dbusSignature, let values) = dbusValue else { return nil }
        self = []
        reserveCapacity(values.count)
        for value in values {
            guard let element = Element(dbusValue: value.unwrapped) else { return nil }
            append(element)
        }
    }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
    public var dbusValue: IPCDBus.Value {
        .dictionary(
            key: "s", value: Value.dbusSignature,
            map { key, value in
                IPCDBus.Value.DictionaryEntry(
                    .string(key), Value.self == IPCDBus.Value.self ? .variant(value.dbusValue) : value.dbusValue)
            })
    }

    public init?(dbusValue: IPCDBus.Value) {
        guard case .dictionary("s", Value.dbusSignature, let entries) = dbusValue else { return nil }
        self = [:]
        for entry in entries {
            guard case .string(let key) = entry.key, let value = Value(dbusValue: entry.value.unwrapped) else {
                return nil
            }
            self[key] = value
        }
    }
}

extension Value {
    /// The content of a variant; for any other value, the value itself.
    public var unwrapped: Value { if case .variant(let inside) = self { inside } else { self } }
}
