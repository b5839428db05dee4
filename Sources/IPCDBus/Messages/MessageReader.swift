internal import Glibc

/// Reads values from a message in order. Another process has written them, so the reader checks lengths, strings, types
/// and depths (D-Bus specification, "Marshaling", "Type System"). After an error, the reader is unusable.
public struct MessageReader {
    /// The message, array, structure or variant that contains a value.
    @usableFromInline package struct Container {
        /// The types of the next values; in an array, the type of each element.
        fileprivate var types: ReceivedBytes
        fileprivate let isArray: Bool
        fileprivate let end: Int
        fileprivate let depth: UInt8
    }

    /// The bytes of the message, at an address that is a multiple of 8.
    private let block: ReceivedBytes
    /// Owns the bytes and the descriptors.
    private let message: Message
    private let isBigEndian: Bool
    private var container: Container
    private var at: Int

    /// - Parameter message: a received message, or one without attachments.
    package init(_ message: Message) {
        block = ReceivedBytes(message.bytes)
        (self.message, isBigEndian, at) = (message, message.header.isBigEndian, message.bodyStart)
        container = Container(types: message.signatureBytes, isArray: false, end: block.count, depth: 0)
    }

    /// Enters a container; ``leave(_:)`` returns to the outer one.
    private mutating func enter(
        types: ReceivedBytes, isArray: Bool = false, end: Int, levels: UInt8 = 1
    ) throws(MessageError) -> Container {
        let outer = container
        guard outer.depth + levels <= MessageError.mostContainers else { throw .tooDeep }
        container = Container(types: types, isArray: isArray, end: end, depth: outer.depth + levels)
        return outer
    }

    // MARK: Types

    /// The first character of the next value's type; 0 at the end of the container.
    package var typeCode: UInt8 { isAtEnd ? 0 : container.types[0] }

    public var isAtEnd: Bool { container.isArray ? at >= container.end : container.types.isEmpty }

    /// The single complete type of the next value; empty at the end of the container.
    var currentSignature: String { isAtEnd ? "" : String(nextType) }

    private var nextType: ReceivedBytes {
        guard !container.isArray else { return container.types }
        return container.types.part(0, count: SignatureGrammar.lengthOfRightType(container.types))
    }

    private func expect(_ type: Unicode.Scalar) throws(MessageError) {
        guard typeCode == UInt8(truncatingIfNeeded: type.value) else {
            throw .unexpectedType(expected: String(Character(type)), found: currentSignature)
        }
    }

    /// Skips the type of a value, except in an array, where one type applies to all elements.
    private mutating func advance(_ length: Int = 1) {
        guard !container.isArray else { return }
        container.types = container.types.part(from: length)
    }

    /// Whether the next value is a variant that holds a value of this type.
    package func variantHolds(_ signature: Signature) -> Bool {
        variantType.map { signature.text.hasBytes($0.memory) } ?? false
    }

    /// Whether the next value is a variant that holds an integer, of any size and with or without a sign.
    package var variantHoldsInteger: Bool {
        variantType.map { $0.count == 1 && "ynqiuxt".utf8.contains($0[0]) } ?? false
    }

    /// The type of the value in the next variant; empty if the next value is not a variant.
    public var variantSignature: String { variantType.map { String($0) } ?? "" }

    private var variantType: ReceivedBytes? {
        typeCode == UInt8(ascii: "v") ? block.signature(at: at, end: container.end) : nil
    }

    // MARK: Bytes

    /// The receiver's limits; `nil` if only the limits of D-Bus apply.
    package var bounds: WireBounds? { message.bounds }

    var bytesLeft: Int { container.end - at }

    /// The offset of the next value or of the padding before it.
    @usableFromInline var position: Int { at }

    private mutating func align(_ size: Int) throws(MessageError) {
        at = try block.aligned(at, to: size, end: container.end)
    }

    /// Skips bytes, and returns the offset of the first skipped byte.
    private mutating func take(_ count: Int) throws(MessageError) -> Int {
        guard count <= container.end - at else { throw .longValue }
        defer { at += count }
        return at
    }

    private mutating func number() throws(MessageError) -> UInt32 {
        try align(4)
        return block.number(at: try take(4), isBigEndian: isBigEndian)
    }

    // MARK: Values

    mutating func fixed<Number: BitwiseCopyable>(_ type: Unicode.Scalar, as: Number.Type) throws(MessageError) -> Number
    {
        try expect(type)
        let size = MemoryLayout<Number>.size
        try align(size)
        let place = try take(size)
        advance()
        guard isBigEndian, size > 1 else { return block.number(at: place, as: Number.self) }
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
        guard block[place + length] == 0 else { throw .noText }
        let content = block.part(place, count: length)
        if type == "s" {
            guard let text = String(wire: content.memory) else { throw .noText }
            return text
        }
        try content.checkText(UInt8(truncatingIfNeeded: type.value))
        return String(content)
    }

    /// Reads the next descriptor. Returns the message's own object, because a duplicate would take another descriptor.
    public mutating func descriptor() throws(MessageError) -> Descriptor {
        try expect("h")
        let index = Int(try number())
        advance()
        guard message.hasDescriptor(index), let descriptor = message.descriptors[index] else {
            throw .noDescriptor(index)
        }
        return descriptor
    }

    mutating func bytes() throws(MessageError) -> [UInt8] {
        guard typeCode == UInt8(ascii: "a"), container.types.count > 1, container.types[1] == UInt8(ascii: "y") else {
            throw .unexpectedType(expected: "ay", found: currentSignature)
        }
        let length = try arrayLength()
        guard container.depth < MessageError.mostContainers else { throw .tooDeep }
        let place = try take(length)
        advance(2)
        return Array(block.part(place, count: length).memory)
    }

    private mutating func arrayLength() throws(MessageError) -> Int {
        let length = Int(try number())
        guard length <= MessageError.longestArray else { throw .arrayTooLong(bytes: length) }
        return length
    }

    // MARK: Containers

    // Generic functions are inlined into their callers: otherwise, each call would look up their types at run time.

    /// Reads all elements of the next array.
    @inlinable public mutating func array<Element>(
        _ element: (inout MessageReader) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        let outer = try enterArray()
        var elements: [Element] = []
        while !isAtEnd {
            let before = position
            elements.append(try element(&self))
            // If the closure has read nothing, skip the element: otherwise, the loop would never end.
            if position == before { try skip() }
        }
        try leave(outer)
        return elements
    }

    /// Reads all pairs of the next dictionary.
    @inlinable public mutating func entries<Element>(
        _ pair: (inout MessageReader) throws(MessageError) -> Element
    ) throws(MessageError) -> [Element] {
        try expectDictionary()
        return try array { (entry) throws(MessageError) in
            let outer = try entry.enterEntry()
            let result = try pair(&entry)
            try entry.leave(outer)
            return result
        }
    }

    @inlinable public mutating func structure<Result>(
        _ fields: (inout MessageReader) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        let outer = try enter("(")
        let result = try fields(&self)
        try leave(outer)
        return result
    }

    @inlinable public mutating func variant<Result>(
        _ content: (inout MessageReader) throws(MessageError) -> Result
    ) throws(MessageError) -> Result {
        let outer = try enterVariant()
        let result = try content(&self)
        try leave(outer)
        return result
    }

    @usableFromInline mutating func enterArray() throws(MessageError) -> Container {
        try expect("a")
        let type = nextType.part(from: 1)
        let length = try arrayLength()
        try align(MessageWriter.alignment(of: type[0]))
        guard length <= container.end - at else { throw .longValue }
        advance(1 + type.count)
        return try enter(types: type, isArray: true, end: at + length)
    }

    @usableFromInline func expectDictionary() throws(MessageError) {
        guard typeCode == UInt8(ascii: "a"), container.types.count > 1, container.types[1] == UInt8(ascii: "{") else {
            throw .unexpectedType(expected: "a{…}", found: currentSignature)
        }
    }

    package mutating func enterDictionary() throws(MessageError) -> Container {
        try expectDictionary()
        return try enterArray()
    }

    @usableFromInline package mutating func enterEntry() throws(MessageError) -> Container { try enter("{") }

    /// The ``EntryBeginning/mark`` of the next entry in an `a{sv}` dictionary; `nil` if no known entry can match.
    package mutating func entryMark() throws(MessageError) -> UInt64? {
        guard !isBigEndian, typeCode == UInt8(ascii: "{"), container.types[1] == UInt8(ascii: "s"),
            container.types[2] == UInt8(ascii: "v")
        else { return nil }
        try align(8)
        return container.end - at < 8 ? nil : block.number(at: at, as: UInt64.self)
    }

    /// Enters the value of the next entry if the entry starts with the given bytes. Call ``entryMark()`` first.
    /// - Returns: the outer container; `nil` if the bytes differ, in which case nothing is skipped.
    package mutating func enterValue(_ beginning: EntryBeginning) throws(MessageError) -> Container? {
        guard beginning.isBeginning(of: block.part(at, count: container.end - at).memory) else { return nil }
        at += beginning.bytes.count
        guard let length = beginning.typeLength else {
            return try enter(types: ReceivedBytes("v"), end: container.end)
        }
        return try enter(types: block.part(at - 1 - length, count: length), end: container.end, levels: 2)
    }

    /// Enters the next structure or dictionary entry.
    @usableFromInline mutating func enter(_ bracket: Unicode.Scalar) throws(MessageError) -> Container {
        try expect(bracket)
        let type = nextType
        try align(8)
        advance(type.count)
        return try enter(types: type.part(1, count: type.count - 2), end: container.end)
    }

    @usableFromInline package mutating func enterVariant() throws(MessageError) -> Container {
        try expect("v")
        guard let type = block.signature(at: at, end: container.end) else { throw .longSignature }
        guard SignatureGrammar.isSingleType(type) else { throw .invalidSignature(String(type)) }
        advance()
        at += type.count + 2
        return try enter(types: type, end: container.end)
    }

    /// Skips the rest of the container, and returns to the outer one.
    @usableFromInline package mutating func leave(_ outer: Container) throws(MessageError) {
        try skipAll()
        container = outer
    }

    /// Skips the next array by its length, without checking its elements. Use this only to measure a value.
    mutating func skipArrayByLength() throws(MessageError) {
        let outer = try enterArray()
        at = container.end
        container = outer
    }

    /// Skips the next value.
    /// - Throws: ``MessageError`` if it breaks the protocol.
    public mutating func skip() throws(MessageError) {
        guard !isAtEnd else { return }
        let type = nextType
        var skipper = skipper
        try skipper.skip(type, depth: Int(container.depth))
        at = skipper.at
        advance(type.count)
    }

    /// Skips all values up to the end of the container.
    package mutating func skipAll() throws(MessageError) {
        guard !isAtEnd else { return }
        var skipper = skipper
        if container.isArray {
            try skipper.skipElements(container.types, depth: Int(container.depth))
        } else {
            try skipper.skip(container.types, depth: Int(container.depth))
            advance(container.types.count)
        }
        at = skipper.at
    }

    private var skipper: ValueSkipper {
        ValueSkipper(block, isBigEndian: isBigEndian, message: message, at: at, end: container.end)
    }

    /// Checks that all values have been read.
    package mutating func finish() throws(MessageError) {
        guard isAtEnd, at == container.end else { throw .malformed("a message has bytes after its last argument") }
    }
}
