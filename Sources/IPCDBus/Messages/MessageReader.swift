internal import Glibc

/// Reads values from a message, in order. What it reads comes from somebody else: lengths, texts, types and depths are
/// checked on the way (D-Bus specification, "Marshaling", "Type System").
public struct MessageReader {
    /// Begins at a multiple of 8.
    private let block: UnsafeRawBufferPointer
    /// Keeps the bytes, and has the descriptors.
    private let message: Message?
    private let isBigEndian: Bool
    /// The types of what is left here.
    private var types: UnsafeRawBufferPointer
    /// In an array: the type of each element.
    private let element: UnsafeRawBufferPointer?
    private var at: Int
    private let end: Int
    private var depth: UInt8

    init(_ message: Message) {
        let bytes = UnsafeRawBufferPointer(message.bytes)
        self.init(
            bytes: bytes, message: message, isBigEndian: message.header.isBigEndian, types: message.signatureBytes,
            element: nil, at: message.bodyStart, end: bytes.count, depth: 0)
    }

    /// Reads the fields of a header from one of them on.
    init(fields bytes: UnsafeRawBufferPointer, at: Int, end: Int, isBigEndian: Bool) {
        self.init(
            bytes: bytes, message: nil, isBigEndian: isBigEndian, types: Self.fieldType, element: Self.fieldType,
            at: at, end: end, depth: 1)
    }

    private static var fieldType: UnsafeRawBufferPointer {
        let text: StaticString = "(yv)"
        return UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private init(
        bytes: UnsafeRawBufferPointer, message: Message?, isBigEndian: Bool, types: UnsafeRawBufferPointer,
        element: UnsafeRawBufferPointer?, at: Int, end: Int, depth: UInt8
    ) {
        (self.block, self.message, self.isBigEndian, self.types) = (bytes, message, isBigEndian, types)
        (self.element, self.at, self.end, self.depth) = (element, at, end, depth)
    }

    private func inside(
        types: UnsafeRawBufferPointer, element: UnsafeRawBufferPointer?, at: Int, end: Int
    ) throws(MessageError) -> MessageReader {
        guard depth < 64 else { throw .tooDeep }
        return MessageReader(
            bytes: block, message: message, isBigEndian: isBigEndian, types: types, element: element, at: at, end: end,
            depth: depth + 1)
    }

    // MARK: Types

    /// The type of the next value by its first character, 0 at the end.
    var typeCode: UInt8 {
        mutating get {
            if types.isEmpty, let element, at < end { types = element }
            return types.isEmpty || (element != nil && at >= end && types.count == element?.count) ? 0 : types[0]
        }
    }

    public var isAtEnd: Bool { mutating get { typeCode == 0 } }

    /// The single complete type of the next value, empty at the end.
    var currentSignature: String {
        mutating get { typeCode == 0 ? "" : Self.string(nextType) }
    }

    private var nextType: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: types[..<SignatureGrammar.lengthOfRightType(types)])
    }

    private static func string(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

    private mutating func expect(_ type: Unicode.Scalar) throws(MessageError) {
        guard typeCode == UInt8(truncatingIfNeeded: type.value) else {
            throw .unexpectedType(expected: String(Character(type)), found: currentSignature)
        }
    }

    /// Passes over the type of a value that was read.
    private mutating func advance(_ length: Int = 1) { types = UnsafeRawBufferPointer(rebasing: types[length...]) }

    /// Whether the variant that stands there holds a value of a type.
    package mutating func variantHolds(_ signature: Signature) -> Bool {
        guard typeCode == UInt8(ascii: "v"), let found = try? signatureBytes(at: at) else { return false }
        return found.elementsEqual(signature.text.utf8)
    }

    /// The type inside the variant that stands there.
    public var variantSignature: String {
        mutating get {
            guard typeCode == UInt8(ascii: "v"), let found = try? signatureBytes(at: at) else { return "" }
            return Self.string(found)
        }
    }

    // MARK: Bytes

    /// Where the next value is, or its padding.
    @usableFromInline var position: Int { at }

    private mutating func align(_ size: Int) throws(MessageError) {
        let aligned = (at + size - 1) & ~(size - 1)
        while at < aligned {
            guard at < end, block[at] == 0 else { throw .malformed("there is something between two values") }
            at += 1
        }
    }

    /// Passes over so many bytes and gives where they begin.
    private mutating func take(_ count: Int) throws(MessageError) -> Int {
        guard count <= end - at else { throw .malformed("a value is longer than what it is in") }
        defer { at += count }
        return at
    }

    private mutating func number() throws(MessageError) -> UInt32 {
        try align(4)
        let number = block.loadUnaligned(fromByteOffset: try take(4), as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: number) : UInt32(littleEndian: number)
    }

    private func signatureBytes(at place: Int) throws(MessageError) -> UnsafeRawBufferPointer {
        guard place < end, place + 1 + Int(block[place]) < end, block[place + 1 + Int(block[place])] == 0 else {
            throw .malformed("a signature is longer than what it is in")
        }
        return UnsafeRawBufferPointer(rebasing: block[(place + 1)..<(place + 1 + Int(block[place]))])
    }

    // MARK: Values

    mutating func fixed<Number: BitwiseCopyable>(_ type: Unicode.Scalar, as: Number.Type) throws(MessageError) -> Number
    {
        try expect(type)
        let size = MemoryLayout<Number>.size
        try align(size)
        let place = try take(size)
        advance()
        guard isBigEndian, size > 1 else { return block.loadUnaligned(fromByteOffset: place, as: Number.self) }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: size) { room in
            for index in 0..<size { room[index] = block[place + size - 1 - index] }
            return room.loadUnaligned(as: Number.self)
        }
    }

    mutating func text(_ type: Unicode.Scalar) throws(MessageError) -> String {
        try expect(type)
        let length = type == "g" ? Int(block[try take(1)]) : Int(try number())
        let place = try take(length + 1)
        advance()
        let content = UnsafeRawBufferPointer(rebasing: block[place..<(place + length)])
        guard block[place + length] == 0, let text = String(wire: content) else {
            throw .malformed("a text is not UTF-8, or has a NUL character in it")
        }
        switch type {
        case "o": guard (try? ObjectPath(text)) != nil else { throw .malformed("“\(text)” is no object path") }
        case "g": guard SignatureGrammar.isValid(text) else { throw .invalidSignature(text) }
        default: break
        }
        return text
    }

    /// The next descriptor; the caller owns it.
    public mutating func descriptor() throws(MessageError) -> CInt {
        let descriptor = try ownedDescriptor()
        let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .descriptorUnavailable }
        return copy
    }

    /// The same, which stays the message's.
    private mutating func ownedDescriptor() throws(MessageError) -> Descriptor {
        try expect("h")
        let index = Int(try number())
        advance()
        guard let message, index < message.descriptors.count, let descriptor = message.descriptors[index] else {
            throw .malformed("there is no descriptor of the number \(index) in the message")
        }
        return descriptor
    }

    mutating func bytes() throws(MessageError) -> [UInt8] {
        guard typeCode == UInt8(ascii: "a"), types.count > 1, types[1] == UInt8(ascii: "y") else {
            throw .unexpectedType(expected: "ay", found: currentSignature)
        }
        let length = try arrayLength()
        let place = try take(length)
        advance(2)
        return Array(block[place..<(place + length)])
    }

    private mutating func arrayLength() throws(MessageError) -> Int {
        let length = Int(try number())
        guard length <= MessageError.longestArray else { throw .arrayTooLong(bytes: length) }
        return length
    }

    // MARK: Containers

    // What is generic here is inlined into who calls it: the runtime would look for its types at each call.

    /// All elements of the next array.
    @inlinable public mutating func array<Element>(
        _ element: (inout MessageReader) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        var inside = try enterArray()
        var elements: [Element] = []
        while !inside.isAtEnd {
            let before = inside.position
            elements.append(try element(&inside))
            // An element that reads nothing would be there for ever.
            if inside.position == before { try inside.skip() }
        }
        return elements
    }

    /// All pairs of the next dictionary.
    @inlinable public mutating func entries<Element>(
        _ pair: (inout MessageReader) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        try expectDictionary()
        return try array { (entry) throws(MessageError) in
            var inside = try entry.enter("{")
            let result = try pair(&inside)
            try entry.leave(&inside)
            return result
        }
    }

    @inlinable public mutating func structure<Result>(
        _ fields: (inout MessageReader) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        var inside = try enter("(")
        let result = try fields(&inside)
        try leave(&inside)
        return result
    }

    @inlinable public mutating func variant<Result>(
        _ content: (inout MessageReader) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        var inside = try enterVariant()
        let result = try content(&inside)
        try leave(&inside)
        return result
    }

    /// The elements of the next array, which is passed over.
    @usableFromInline mutating func enterArray() throws(MessageError) -> MessageReader {
        try expect("a")
        let type = UnsafeRawBufferPointer(rebasing: nextType[1...])
        let length = try arrayLength()
        try align(MessageWriter.alignment(of: type[0]))
        let place = try take(length)
        defer { advance(1 + type.count) }
        return try inside(types: type, element: type, at: place, end: place + length)
    }

    @usableFromInline mutating func expectDictionary() throws(MessageError) {
        guard typeCode == UInt8(ascii: "a"), types.count > 1, types[1] == UInt8(ascii: "{") else {
            throw .unexpectedType(expected: "a{…}", found: currentSignature)
        }
    }

    /// The fields of the next structure or entry; ``leave(_:)`` goes on behind it.
    @usableFromInline mutating func enter(_ bracket: Unicode.Scalar) throws(MessageError) -> MessageReader {
        try expect(bracket)
        let type = nextType
        try align(8)
        advance(type.count)
        return try inside(
            types: UnsafeRawBufferPointer(rebasing: type[1..<(type.count - 1)]), element: nil, at: at, end: end)
    }

    /// The value in the next variant; ``leave(_:)`` goes on behind it.
    @usableFromInline mutating func enterVariant() throws(MessageError) -> MessageReader {
        try expect("v")
        let type = try signatureBytes(at: at)
        guard SignatureGrammar.isSingleType(type) else { throw .invalidSignature(Self.string(type)) }
        advance()
        return try inside(types: type, element: nil, at: at + type.count + 2, end: end)
    }

    /// Goes on behind what was entered.
    @usableFromInline mutating func leave(_ inside: inout MessageReader) throws(MessageError) {
        try inside.skipAll()
        at = inside.at
    }

    /// Passes over the next value.
    public mutating func skip() throws(MessageError) {
        switch typeCode {
        case 0: return
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): _ = try text(Unicode.Scalar(typeCode))
        case UInt8(ascii: "v"):
            var inside = try enterVariant()
            try leave(&inside)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            var inside = try enter(Unicode.Scalar(typeCode))
            try leave(&inside)
        case UInt8(ascii: "a"):
            var inside = try enterArray()
            if inside.typeCode != UInt8(ascii: "y") { try inside.skipAll() }
        case UInt8(ascii: "b"): _ = try Bool(from: &self)
        case UInt8(ascii: "h"): _ = try ownedDescriptor()
        case let type:
            let size = type == UInt8(ascii: "y") ? 1 : MessageWriter.alignment(of: type)
            try align(size)
            _ = try take(size)
            advance()
        }
    }

    private mutating func skipAll() throws(MessageError) { while !isAtEnd { try skip() } }

    /// Makes sure that everything was read.
    mutating func finish() throws(MessageError) {
        guard isAtEnd, at == end else { throw .malformed("a message is longer than its arguments") }
    }
}
