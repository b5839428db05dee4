internal import Glibc

/// Skips values and checks them (D-Bus specification, "Marshaling"). All other clients wait meanwhile, so the time must
/// depend only on the length of the values.
struct ValueSkipper: ~Copyable {
    private let block: ReceivedBytes
    private let isBigEndian: Bool
    /// The message with the descriptors; `nil` for header fields, whose descriptors are not checked.
    private let message: Message?
    /// The offset of the next value or of the padding before it.
    private(set) var at: Int
    /// The end of the innermost array, or of the message.
    private var end: Int
    /// The steps of the types being skipped. The steps for a variant's content are added after all others.
    private var steps = TypeSteps()

    init(_ block: ReceivedBytes, isBigEndian: Bool, message: Message?, at: Int, end: Int) {
        (self.block, self.isBigEndian, self.message, self.at, self.end) = (block, isBigEndian, message, at, end)
    }

    mutating func skip(_ types: ReceivedBytes, depth: Int) throws(MessageError) {
        let first = steps.count
        steps.append(types)
        try run(first, steps.count, depth: depth)
        steps.removeLast(to: first)
    }

    mutating func skipElements(_ type: ReceivedBytes, depth: Int) throws(MessageError) {
        let first = steps.count
        steps.append(type)
        while at < end { try run(first, steps.count, depth: depth) }
    }

    private mutating func run(_ first: Int, _ last: Int, depth: Int) throws(MessageError) {
        var place = first
        while place < last {
            let step = steps[place]
            place += 1
            switch step.code {
            case UInt8(ascii: "("):
                guard depth + Int(step.depth) <= MessageError.mostContainers else { throw .tooDeep }
                try align(8)
            case UInt8(ascii: "a"):
                try array(step, first: place, depth: depth)
                place = Int(step.end)
            case UInt8(ascii: "v"): try variant(depth: depth + Int(step.depth))
            case UInt8(ascii: "y"): _ = try take(Int(step.size))
            default: try basic(step.code)
            }
        }
    }

    private mutating func basic(_ code: UInt8) throws(MessageError) {
        switch code {
        case UInt8(ascii: "s"), UInt8(ascii: "o"):
            let length = Int(try number())
            try text(length, code)
        case UInt8(ascii: "g"):
            let length = Int(block[try take(1)])
            try text(length, code)
        case UInt8(ascii: "b"):
            let number = try number()
            guard number <= 1 else { throw .noBoolean(number) }
        case UInt8(ascii: "h"):
            let index = Int(try number())
            guard let message, !message.hasDescriptor(index) else { return }
            throw .noDescriptor(index)
        case UInt8(ascii: "y"): _ = try take(1)
        default:
            let size = MessageWriter.alignment(of: code)
            try align(size)
            _ = try take(size)
        }
    }

    private mutating func array(_ step: TypeSteps.Step, first: Int, depth: Int) throws(MessageError) {
        let length = Int(try number())
        guard length <= MessageError.longestArray else { throw .arrayTooLong(bytes: length) }
        try align(Int(step.alignment))
        guard length <= end - at else { throw .longValue }
        guard depth + Int(step.depth) <= MessageError.mostContainers else { throw .tooDeep }
        guard length > 0 else { return }
        guard step.size == 0 else {
            guard depth + Int(step.innerDepth) <= MessageError.mostContainers else { throw .tooDeep }
            guard length % Int(step.size) == 0 else { throw .longValue }
            at += length
            return
        }
        let outerEnd = end
        end = at + length
        while at < end { try run(first, Int(step.end), depth: depth) }
        end = outerEnd
    }

    private mutating func variant(depth: Int) throws(MessageError) {
        guard let type = block.signature(at: at, end: end) else { throw .longSignature }
        at += type.count + 2
        guard SignatureGrammar.isSingleType(type) else { throw .invalidSignature(String(type)) }
        guard depth <= MessageError.mostContainers else { throw .tooDeep }
        guard type.count == 1 else { return try skip(type, depth: depth) }
        if type[0] == UInt8(ascii: "v") { try variant(depth: depth + 1) } else { try basic(type[0]) }
    }

    @inline(__always) private mutating func text(_ length: Int, _ code: UInt8) throws(MessageError) {
        let start = try take(length + 1)
        guard block[start + length] == 0 else { throw .noText }
        try block.part(start, count: length).checkText(code)
    }

    // MARK: Bytes

    // The functions below are inlined, because a message may contain thirty million values.

    @inline(__always) private mutating func align(_ size: Int) throws(MessageError) {
        at = try block.aligned(at, to: size, end: end)
    }

    @inline(__always) private mutating func take(_ count: Int) throws(MessageError) -> Int {
        guard count <= end - at else { throw .longValue }
        defer { at += count }
        return at
    }

    @inline(__always) private mutating func number() throws(MessageError) -> UInt32 {
        try align(4)
        return block.number(at: try take(4), isBigEndian: isBigEndian)
    }
}

extension ReceivedBytes {
    /// The signature of the variant at `place`; `nil` if it does not end before `end`.
    func signature(at place: Int, end: Int) -> ReceivedBytes? {
        guard place < end, case let last = place + 1 + Int(self[place]), last < end, self[last] == 0 else { return nil }
        return part(place + 1, count: last - place - 1)
    }

    /// Whether this is UTF-8 without a NUL character.
    var isText: Bool {
        if memory.isASCIIText { return true }
        guard let start = memory.baseAddress, memchr(start, 0, memory.count) == nil else { return false }
        return (try? UTF8Span(validating: memory.bindMemory(to: UInt8.self).span)) != nil
    }

    func checkText(_ type: UInt8) throws(MessageError) {
        switch type {
        case UInt8(ascii: "s"): guard isText else { throw .noText }
        case UInt8(ascii: "o"):
            guard ObjectPath.brokenRule(memory) != nil else { return }
            throw isText ? .malformed("“\(String(self))” is not an object path") : .noText
        default:
            guard !SignatureGrammar.isValid(self) else { return }
            throw isText ? .invalidSignature(String(self)) : .noText
        }
    }
}

extension MessageError {
    static let noText = malformed("a string is not UTF-8, or contains a NUL character")
    static let noPadding = malformed("the padding between two values is not zero")
    static let longValue = malformed("a value extends past the end of its container")
    static let longSignature = malformed("a signature extends past the end of its container")
    static func noBoolean(_ number: UInt32) -> MessageError {
        .malformed("a Boolean value must be 0 or 1, not \(number)")
    }
    static func noDescriptor(_ index: Int) -> MessageError {
        .malformed("the message has no descriptor with the index \(index)")
    }
    /// The maximum nesting depth of containers in a message, including variants (D-Bus specification, "Marshaling").
    static let mostContainers = 64
}
