internal import Glibc

/// Encodes values in order, little-endian (D-Bus specification, "Marshaling"), within the protocol's limits. After an
/// error, the writer is unusable.
public struct MessageWriter: ~Copyable {
    private var bytes: UnsafeMutableRawPointer?
    /// The number of bytes so far, with those of attachments.
    private(set) var count = 0
    /// The number of bytes so far, without those of attachments.
    private var ownCount = 0
    private var capacity: Int
    private var attachments: [Message.Attachment] = []
    private let attaches: Bool
    private var descriptors: [Descriptor] = []
    /// The offset of the descriptor count in the header; `nil` if the header has no such field.
    private var descriptorCount: Int?
    private var depth: UInt8 = 0
    /// The nesting depths of arrays and structures within one signature. A variant's content has its own signature.
    private var arrays: UInt8 = 0
    private var structures: UInt8 = 0

    /// In bytes; enough for most messages.
    private static let usualCapacity = 1_024
    /// Longer byte arrays are attached. To copy one of 12 MiB takes 10 ms, because the memory is new to the process.
    private static let leastAttached = 64 << 10

    /// - Parameter attaches: whether long byte arrays are sent from where they are.
    init(attaches: Bool = false) {
        self.attaches = attaches
        capacity = Self.usualCapacity
        bytes = malloc(capacity)
    }

    deinit { freeWiped(UnsafeMutableRawBufferPointer(start: bytes, count: bytes == nil ? 0 : ownCount)) }

    /// Completes the message, and hands over its bytes, which the caller must free.
    mutating func take(
        bodyStart: Int
    ) -> (bytes: UnsafeMutableRawBufferPointer, attachments: [Message.Attachment], descriptors: [Descriptor]) {
        let written = UnsafeMutableRawBufferPointer(start: bytes, count: ownCount)
        written.storeBytes(of: UInt32(count - bodyStart), toByteOffset: 4, as: UInt32.self)
        if let descriptorCount {
            written.storeBytes(of: UInt32(descriptors.count), toByteOffset: descriptorCount, as: UInt32.self)
        }
        bytes = nil
        return (written, attachments, descriptors)
    }

    /// Notes that the number just written is the descriptor count.
    mutating func noteDescriptorCount() { descriptorCount = count - 4 }

    // MARK: Bytes

    /// Makes room for `size` bytes, and returns the address of the first of them.
    private mutating func room(_ size: Int) throws(MessageError) -> UnsafeMutableRawPointer {
        try checkLength(count + size)
        let end = ownCount + size
        if end > capacity {
            capacity = min(max(capacity * 2, end + 64), MessageError.longestMessage + 8)
            grow()
        }
        guard let bytes else { throw .outOfMemory }
        defer { (count, ownCount) = (count + size, end) }
        return bytes + ownCount
    }

    private func checkLength(_ length: Int) throws(MessageError) {
        guard length <= MessageError.longestMessage else { throw .messageTooLong(bytes: length) }
    }

    /// Moves the bytes to new memory. realloc(3) would not overwrite them in the old memory.
    private mutating func grow() {
        let former = UnsafeMutableRawBufferPointer(start: bytes, count: bytes == nil ? 0 : ownCount)
        bytes = malloc(capacity)
        if let bytes, let start = former.baseAddress { memcpy(bytes, start, ownCount) }
        freeWiped(former)
    }

    /// Writes zeros up to a multiple of `size`.
    mutating func align(_ size: Int) {
        let padding = -count & (size - 1)
        // If there is no memory left, writing the next value throws.
        guard padding > 0, let place = try? room(padding) else { return }
        memset(place, 0, padding)
    }

    static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }

    // MARK: Values

    mutating func fixed<Number: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Number) throws(MessageError) {
        let size = MemoryLayout<Number>.size
        if size > 1 { align(size) }
        try room(size).storeBytes(of: value, as: Number.self)
    }

    mutating func text(_ type: Unicode.Scalar, _ value: String) throws(MessageError) {
        var value = value
        let length = value.utf8.count
        if type == "g" {
            guard length <= 255 else { throw .invalidSignature(value) }
            try fixed("y", UInt8(length))
        } else {
            guard length <= MessageError.longestMessage else { throw .messageTooLong(bytes: length) }
            try fixed("u", UInt32(length))
        }
        let place = try room(length + 1)
        value.withUTF8 { text in
            if let start = text.baseAddress { memcpy(place, start, length) }
        }
        guard memchr(place, 0, length) == nil else { throw .containsNUL }
        place.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
    }

    /// Writes a duplicate of an open descriptor.
    /// - Throws: ``MessageError/descriptorUnavailable`` or ``MessageError/tooManyDescriptors(_:)``.
    public mutating func descriptor(_ value: CInt) throws(MessageError) {
        guard descriptors.count < MessageError.mostDescriptors else {
            throw .tooManyDescriptors(descriptors.count + 1)
        }
        guard let copy = Descriptor(duplicating: value) else { throw .descriptorUnavailable }
        try fixed("u", UInt32(descriptors.count))
        descriptors.append(copy)
    }

    mutating func bytes(_ value: [UInt8]) throws(MessageError) {
        guard value.count <= MessageError.longestArray else { throw .arrayTooLong(bytes: value.count) }
        try descend()
        try fixed("u", UInt32(value.count))
        if attaches, value.count >= Self.leastAttached { try attach(value) } else { try append(value) }
        depth -= 1
    }

    private mutating func attach(_ value: [UInt8]) throws(MessageError) {
        try checkLength(count + value.count)
        attachments.append(Message.Attachment(place: ownCount, bytes: value))
        count += value.count
    }

    private mutating func append(_ bytes: [UInt8]) throws(MessageError) {
        let place = try room(bytes.count)
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(place, start, $0.count) } }
    }

    // MARK: Containers

    /// Writes an array whose elements all have the type `element`.
    public mutating func array(
        of element: Signature, _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        arrays += 1
        try descend()
        try fixed("u", UInt32(0))
        let length = ownCount - 4
        align(Self.alignment(of: element.text.utf8.first ?? 0))
        let start = count
        try body(&self)
        guard count - start <= MessageError.longestArray else { throw .arrayTooLong(bytes: count - start) }
        bytes?.storeBytes(of: UInt32(count - start), toByteOffset: length, as: UInt32.self)
        depth -= 1
        arrays -= 1
    }

    public mutating func structure(
        _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        structures += 1
        try entry(body)
        structures -= 1
    }

    /// Writes a pair in an array of type `a{…}`.
    public mutating func entry(_ body: (inout MessageWriter) throws(MessageError) -> Void) throws(MessageError) {
        try descend()
        align(8)
        try body(&self)
        depth -= 1
    }

    /// Writes a pair in an array of type `a{sv}`, given the pair's first bytes, which are already encoded.
    package mutating func entry(
        _ beginning: EntryBeginning, _ value: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        try entry { (entry) throws(MessageError) in
            try entry.descend()
            try entry.append(beginning.bytes)
            try value(&entry)
            entry.depth -= 1
        }
    }

    public mutating func variant(
        _ signature: Signature, _ body: (inout MessageWriter) throws(MessageError) -> Void
    ) throws(MessageError) {
        guard signature.isSingleType else { throw .invalidSignature(signature.text) }
        let outside = (arrays, structures)
        (arrays, structures) = (0, 0)
        try descend()
        try text("g", signature.text)
        try body(&self)
        depth -= 1
        (arrays, structures) = outside
    }

    /// Checks the depth (D-Bus specification, "Valid Signatures" and "Marshaling"). Entries do not count as structures.
    private mutating func descend() throws(MessageError) {
        depth += 1
        guard depth <= MessageError.mostContainers, arrays <= SignatureGrammar.deepest,
            structures <= SignatureGrammar.deepest
        else { throw .tooDeep }
    }
}
