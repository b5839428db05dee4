internal import CLibDBus

/// Reads values from a message, in order. libdbus has already checked what came in: texts are UTF-8 without NUL,
/// paths and signatures follow their grammar, lengths and depths are within the protocol's limits.
public struct MessageReader {
    private var iterator: DBusMessageIter
    /// Keeps the bytes alive that the iterator points to.
    private let message: Message

    init(_ message: Message) {
        self.message = message
        iterator = DBusMessageIter()
        // Answers 0 for an empty body, and leaves an iterator at its end.
        dbus_message_iter_init(message.handle, &iterator)
    }

    private init(inside outer: inout MessageReader) {
        message = outer.message
        iterator = DBusMessageIter()
        dbus_message_iter_recurse(&outer.iterator, &iterator)
    }

    /// The type of the next value as libdbus names it (`r` and `e` for structures and entries), 0 at the end.
    var typeCode: CInt { mutating get { dbus_message_iter_get_arg_type(&iterator) } }
    public var isAtEnd: Bool { mutating get { typeCode == 0 } }

    /// The single complete type of the next value, empty at the end.
    var currentSignature: String {
        mutating get {
            guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
            defer { dbus_free(text) }
            return String(cString: text)
        }
    }

    private mutating func expect(_ type: Unicode.Scalar) throws(MessageError) {
        guard typeCode == CInt(type.value) else {
            throw .unexpectedType(expected: String(Character(type)), found: currentSignature)
        }
    }

    private mutating func advance() { dbus_message_iter_next(&iterator) }

    mutating func fixed<Number: BitwiseCopyable>(_ type: Unicode.Scalar, as: Number.Type) throws(MessageError) -> Number
    {
        try expect(type)
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 1) { room in
            dbus_message_iter_get_basic(&iterator, room.baseAddress!)
            advance()
            return UnsafeRawPointer(room.baseAddress!).loadUnaligned(as: Number.self)
        }
    }

    mutating func text(_ type: Unicode.Scalar) throws(MessageError) -> String {
        try expect(type)
        var text: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &text)
        defer { advance() }
        return text.map { String(cString: $0) } ?? ""
    }

    /// The next descriptor; the caller owns it.
    public mutating func descriptor() throws(MessageError) -> CInt {
        try expect("h")
        var copy: CInt = -1
        dbus_message_iter_get_basic(&iterator, &copy)
        advance()
        guard copy >= 0 else { throw .descriptorUnavailable }
        return copy
    }

    mutating func bytes() throws(MessageError) -> [UInt8] {
        guard typeCode == CInt(UInt8(ascii: "a")),
            dbus_message_iter_get_element_type(&iterator) == CInt(UInt8(ascii: "y"))
        else { throw .unexpectedType(expected: "ay", found: currentSignature) }
        var inside = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inside)
        var start: UnsafePointer<UInt8>?
        var count: CInt = 0
        dbus_message_iter_get_fixed_array(&inside, &start, &count)
        advance()
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// All elements of the next array.
    public mutating func array<Element>(
        _ element: (inout MessageReader) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        try expect("a")
        var inside = MessageReader(inside: &self)
        var elements: [Element] = []
        while !inside.isAtEnd { elements.append(try element(&inside)) }
        advance()
        return elements
    }

    /// All pairs of the next dictionary.
    public mutating func entries<Element>(
        _ pair: (inout MessageReader) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        guard typeCode == CInt(UInt8(ascii: "a")),
            dbus_message_iter_get_element_type(&iterator) == CInt(UInt8(ascii: "e"))
        else { throw .unexpectedType(expected: "a{…}", found: currentSignature) }
        return try array { (entry) throws(MessageError) in
            var inside = MessageReader(inside: &entry)
            let result = try pair(&inside)
            entry.advance()
            return result
        }
    }

    public mutating func structure<Result>(
        _ fields: (inout MessageReader) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        try expect("r")
        var inside = MessageReader(inside: &self)
        let result = try fields(&inside)
        advance()
        return result
    }

    public mutating func variant<Result>(
        _ content: (inout MessageReader) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        try expect("v")
        var inside = MessageReader(inside: &self)
        let result = try content(&inside)
        advance()
        return result
    }

    /// The type inside the variant that stands there.
    public var variantSignature: String {
        mutating get {
            guard typeCode == CInt(UInt8(ascii: "v")) else { return "" }
            var inside = MessageReader(inside: &self)
            return inside.currentSignature
        }
    }

    /// Passes over the next value.
    public mutating func skip() { advance() }
}
