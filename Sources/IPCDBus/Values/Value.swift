/// Any D-Bus value. As an argument, it has the type `v` (variant).
public indirect enum Value: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case descriptor(Descriptor)
    /// An array of bytes (`ay`), separate from other arrays because it is read and written as one block.
    case bytes([UInt8])
    /// Includes the element type, because even an empty array has a type.
    case array(of: Signature, [Value])
    case structure([Value])
    case dictionary(key: Signature, value: Signature, [DictionaryEntry])
    case variant(Value)

    public struct DictionaryEntry: Sendable, Hashable {
        public var key: Value
        public var value: Value
        public init(_ key: Value, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    /// The single complete type of this value.
    public var signature: Signature {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .variant: "v"
        case .array(let element, _): Signature(trusted: "a" + element.text)
        case .structure(let fields): Signature(trusted: "(" + fields.map(\.signature.text).joined() + ")")
        case .dictionary(let key, let value, _): Signature(trusted: "a{" + key.text + value.text + "}")
        }
    }
}

extension Value: DBusCodable {
    public static var dbusSignature: Signature { "v" }

    public init(from reader: inout MessageReader) throws(MessageError) {
        self = try reader.variant { (content) throws(MessageError) in try Value(reading: &content) }
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.variant(signature) { (content) throws(MessageError) in try writeContent(to: &content) }
    }

    /// Reads the next value, of any type.
    public init(reading reader: inout MessageReader) throws(MessageError) {
        switch reader.typeCode {
        case UInt8(ascii: "y"): self = .byte(try UInt8(from: &reader))
        case UInt8(ascii: "b"): self = .boolean(try Bool(from: &reader))
        case UInt8(ascii: "n"): self = .int16(try Int16(from: &reader))
        case UInt8(ascii: "q"): self = .uint16(try UInt16(from: &reader))
        case UInt8(ascii: "i"): self = .int32(try Int32(from: &reader))
        case UInt8(ascii: "u"): self = .uint32(try UInt32(from: &reader))
        case UInt8(ascii: "x"): self = .int64(try Int64(from: &reader))
        case UInt8(ascii: "t"): self = .uint64(try UInt64(from: &reader))
        case UInt8(ascii: "d"): self = .double(try Double(from: &reader))
        case UInt8(ascii: "s"): self = .string(try String(from: &reader))
        case UInt8(ascii: "o"): self = .objectPath(try ObjectPath(from: &reader))
        case UInt8(ascii: "g"): self = .signature(try Signature(from: &reader))
        case UInt8(ascii: "h"): self = .descriptor(try reader.descriptor())
        case UInt8(ascii: "v"): self = .variant(try Value(from: &reader))
        case UInt8(ascii: "a"): self = try Value(readingArray: &reader)
        case UInt8(ascii: "("):
            self = .structure(
                try reader.structure { (fields) throws(MessageError) in
                    var values: [Value] = []
                    while !fields.isAtEnd { values.append(try Value(reading: &fields)) }
                    return values
                })
        default: throw .unexpectedType(expected: "a value", found: reader.currentSignature)
        }
    }

    private init(readingArray reader: inout MessageReader) throws(MessageError) {
        let whole = reader.currentSignature
        if whole == "ay" {
            self = .bytes(try [UInt8](from: &reader))
        } else if whole.utf8.dropFirst().first == UInt8(ascii: "{") {
            let inside = whole.dropFirst(2).dropLast()
            let entries = try reader.entries { (entry) throws(MessageError) in
                DictionaryEntry(try Value(reading: &entry), try Value(reading: &entry))
            }
            self = .dictionary(
                key: Signature(trusted: String(inside.prefix(1))),
                value: Signature(trusted: String(inside.dropFirst())), entries)
        } else {
            let elements = try reader.array { (element) throws(MessageError) in try Value(reading: &element) }
            self = .array(of: Signature(trusted: String(whole.dropFirst())), elements)
        }
    }

    /// Writes the value itself, not wrapped in a variant.
    public func writeContent(to writer: inout MessageWriter) throws(MessageError) {
        switch self {
        case .byte(let value): try value.write(to: &writer)
        case .boolean(let value): try value.write(to: &writer)
        case .int16(let value): try value.write(to: &writer)
        case .uint16(let value): try value.write(to: &writer)
        case .int32(let value): try value.write(to: &writer)
        case .uint32(let value): try value.write(to: &writer)
        case .int64(let value): try value.write(to: &writer)
        case .uint64(let value): try value.write(to: &writer)
        case .double(let value): try value.write(to: &writer)
        case .string(let value): try value.write(to: &writer)
        case .objectPath(let value): try value.write(to: &writer)
        case .signature(let value): try value.write(to: &writer)
        case .descriptor(let value): try value.write(to: &writer)
        case .bytes(let value): try value.write(to: &writer)
        case .variant(let value): try value.write(to: &writer)
        case .structure(let fields):
            guard !fields.isEmpty else { throw .invalidSignature("()") }
            try writer.structure { (inside) throws(MessageError) in
                for field in fields { try field.writeContent(to: &inside) }
            }
        case .array(let element, let values):
            try writer.array(of: element) { (inside) throws(MessageError) in
                for value in values { try value.writeContent(to: &inside, as: element) }
            }
        case .dictionary(let key, let value, let entries):
            try writer.array(of: Signature(trusted: "{\(key)\(value)}")) { (inside) throws(MessageError) in
                for entry in entries {
                    try inside.entry { (pair) throws(MessageError) in
                        try entry.key.writeContent(to: &pair, as: key)
                        try entry.value.writeContent(to: &pair, as: value)
                    }
                }
            }
        }
    }

    /// Writes an element of an array or a dictionary. Throws if its type is wrong, to avoid a malformed message.
    private func writeContent(to writer: inout MessageWriter, as type: Signature) throws(MessageError) {
        guard signature == type else { throw .unexpectedType(expected: type.text, found: signature.text) }
        try writeContent(to: &writer)
    }
}
