internal import Glibc

/// A Swift type that corresponds to one D-Bus type.
public protocol DBusCodable: Sendable {
    /// The single complete type of all values of this Swift type.
    static var dbusSignature: Signature { get }
    /// - Throws: ``MessageError/unexpectedType(expected:found:)`` if the next value has another type, or there is none.
    init(from reader: inout MessageReader) throws(MessageError)
    func write(to writer: inout MessageWriter) throws(MessageError)

    /// Reads the next array of values of this type; element by element by default.
    static func readArray(from reader: inout MessageReader) throws(MessageError) -> [Self]
    /// Writes an array of values of this type; element by element by default.
    static func write(_ array: [Self], to writer: inout MessageWriter) throws(MessageError)
}

extension DBusCodable {
    @inlinable public static func readArray(from reader: inout MessageReader) throws(MessageError) -> [Self] {
        try reader.array { (element) throws(MessageError) in try Self(from: &element) }
    }

    public static func write(_ array: [Self], to writer: inout MessageWriter) throws(MessageError) {
        try writer.array(of: dbusSignature) { (inside) throws(MessageError) in
            for element in array { try element.write(to: &inside) }
        }
    }
}

/// A type that may be the key of a dictionary (D-Bus specification, "Container types").
public protocol DBusBasic: DBusCodable, Hashable {}

extension Bool: DBusBasic {
    public static let dbusSignature: Signature = "b"
    public init(from reader: inout MessageReader) throws(MessageError) {
        let number = try reader.fixed("b", as: UInt32.self)
        guard number <= 1 else { throw .noBoolean(number) }
        self = number == 1
    }
    public func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.fixed("b", UInt32(self ? 1 : 0))
    }
}

/// A number that has the same size in memory and in a message.
public protocol DBusNumber: DBusBasic, BitwiseCopyable {
    static var dbusType: Unicode.Scalar { get }
}

extension DBusNumber {
    public init(from reader: inout MessageReader) throws(MessageError) {
        self = try reader.fixed(Self.dbusType, as: Self.self)
    }
    public func write(to writer: inout MessageWriter) throws(MessageError) { try writer.fixed(Self.dbusType, self) }
    public static var dbusSignature: Signature { Signature(trusted: String(Character(dbusType))) }
}

/// An integer, of one of the D-Bus types y, n, q, i, u, x and t.
package protocol DBusInteger: DBusNumber, FixedWidthInteger {}

extension DBusInteger {
    /// Reads the next value, which may have any integer type.
    /// - Throws: ``MessageError/refused(_:)`` if the number is not in the range of this type.
    package init(anyInteger reader: inout MessageReader) throws(MessageError) {
        switch reader.typeCode {
        case UInt8(ascii: "y"): try self.init(checking: try UInt8(from: &reader))
        case UInt8(ascii: "n"): try self.init(checking: try Int16(from: &reader))
        case UInt8(ascii: "q"): try self.init(checking: try UInt16(from: &reader))
        case UInt8(ascii: "i"): try self.init(checking: try Int32(from: &reader))
        case UInt8(ascii: "u"): try self.init(checking: try UInt32(from: &reader))
        case UInt8(ascii: "x"): try self.init(checking: try Int64(from: &reader))
        case UInt8(ascii: "t"): try self.init(checking: try UInt64(from: &reader))
        default: try self.init(from: &reader)
        }
    }

    private init(checking number: some FixedWidthInteger) throws(MessageError) {
        guard let value = Self(exactly: number) else {
            throw .refused("the number \(number) is not from \(Self.min) to \(Self.max)")
        }
        self = value
    }
}

extension UInt8: DBusNumber {
    public static var dbusType: Unicode.Scalar { "y" }

    // Bytes are read as one block: reading several megabytes byte by byte would take seconds.
    public static func readArray(from reader: inout MessageReader) throws(MessageError) -> [UInt8] {
        try reader.bytes()
    }

    public static func write(_ array: [UInt8], to writer: inout MessageWriter) throws(MessageError) {
        try writer.bytes(array)
    }
}
extension UInt8: DBusInteger {}
extension Int16: DBusInteger {}
extension UInt16: DBusInteger {}
extension Int32: DBusInteger {}
extension UInt32: DBusInteger {}
extension Int64: DBusInteger {}
extension UInt64: DBusInteger {}

extension Int16: DBusNumber { public static var dbusType: Unicode.Scalar { "n" } }
extension UInt16: DBusNumber { public static var dbusType: Unicode.Scalar { "q" } }
extension Int32: DBusNumber { public static var dbusType: Unicode.Scalar { "i" } }
extension UInt32: DBusNumber { public static var dbusType: Unicode.Scalar { "u" } }
extension Int64: DBusNumber { public static var dbusType: Unicode.Scalar { "x" } }
extension UInt64: DBusNumber { public static var dbusType: Unicode.Scalar { "t" } }
extension Double: DBusNumber { public static var dbusType: Unicode.Scalar { "d" } }

extension String: DBusBasic {
    public static let dbusSignature: Signature = "s"
    public init(from reader: inout MessageReader) throws(MessageError) { self = try reader.text("s") }
    public func write(to writer: inout MessageWriter) throws(MessageError) { try writer.text("s", self) }
}

extension ObjectPath: DBusBasic {
    public static let dbusSignature: Signature = "o"
    public init(from reader: inout MessageReader) throws(MessageError) {
        self.init(trusted: try reader.text("o"))
    }
    public func write(to writer: inout MessageWriter) throws(MessageError) { try writer.text("o", text) }
}

extension Signature: DBusBasic {
    public static let dbusSignature: Signature = "g"
    public init(from reader: inout MessageReader) throws(MessageError) {
        self.init(trusted: try reader.text("g"))
    }
    public func write(to writer: inout MessageWriter) throws(MessageError) { try writer.text("g", text) }
}

extension Descriptor: DBusCodable {
    public static let dbusSignature: Signature = "h"
    public convenience init(from reader: inout MessageReader) throws(MessageError) {
        // This is a duplicate, because a class initializer cannot return the message's own object.
        let copy = fcntl(try reader.descriptor().rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .descriptorUnavailable }
        self.init(owning: copy)
    }
    public func write(to writer: inout MessageWriter) throws(MessageError) { try writer.descriptor(rawValue) }
}

extension Array: DBusCodable where Element: DBusCodable {
    public static var dbusSignature: Signature { Signature(trusted: "a" + Element.dbusSignature.text) }

    public init(from reader: inout MessageReader) throws(MessageError) {
        self = try Element.readArray(from: &reader)
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        try Element.write(self, to: &writer)
    }
}

extension Dictionary: DBusCodable where Key: DBusBasic, Value: DBusCodable {
    public static var dbusSignature: Signature { Signature(trusted: "a\(entry)") }

    private static var entry: Signature { Signature(trusted: "{\(Key.dbusSignature)\(Value.dbusSignature)}") }

    public init(from reader: inout MessageReader) throws(MessageError) {
        var result: [Key: Value] = [:]
        _ = try reader.entries { (entry) throws(MessageError) in
            let key = try Key(from: &entry)
            result[key] = try Value(from: &entry)
        }
        self = result
    }

    public func write(to writer: inout MessageWriter) throws(MessageError) {
        try writer.array(of: Self.entry) { (inside) throws(MessageError) in
            for (key, value) in self {
                try inside.entry { (pair) throws(MessageError) in
                    try key.write(to: &pair)
                    try value.write(to: &pair)
                }
            }
        }
    }
}
