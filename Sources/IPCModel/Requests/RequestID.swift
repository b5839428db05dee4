internal import Glibc
internal import Synchronization

/// The id of a request, or of a call that may be repeated. It is chosen by the sender. It should be random, because any
/// caller that knows the id can read, await and cancel the request.
public struct RequestID: Sendable, Hashable, Comparable, CheckedName {
    /// The allowed number of characters.
    public static let length = 16...64

    /// The id as it was written. It is case-sensitive.
    public let text: String
    /// The hash of the text, stored because ids are looked up often.
    private let hash: Int

    /// Checks that a string consists of 16 to 64 characters from `[A-Za-z0-9-]`.
    /// - Throws: `invalidArguments`.
    public init(_ text: String) throws(IPCError) {
        if !text.allBytes(Self.isAllowed),
            let scalar = text.unicodeScalars.first(where: { !$0.isASCII || !Self.isAllowed(UInt8($0.value)) })
        {
            throw IPCError(
                .invalidArguments,
                "the id \(text.quoted) contains \(scalar.named); only letters, digits and “-” are allowed")
        }
        let (count, range) = (text.utf8.count, Self.length)
        guard range.contains(count) else {
            throw IPCError(
                .invalidArguments,
                "the id \(text.quoted) has \(count) character\(count == 1 ? "" : "s"); it needs \(range.lowerBound) to "
                    + "\(range.upperBound), a random UUID fits")
        }
        self.init(checked: text)
    }

    private init(checked text: String) { (self.text, hash) = (text, text.hashValue) }

    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.hash == right.hash && left.text == right.text
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public static func < (left: RequestID, right: RequestID) -> Bool { left.text < right.text }

    /// Creates a new id: a version 4 UUID (RFC 9562 §5.4), with 122 random bits from the system's generator.
    public static func random() -> RequestID { SystemRandomReserve.shared.withLock { random(using: &$0) } }

    /// Creates a new id with the given generator.
    package static func random(using generator: inout some RandomNumberGenerator) -> RequestID {
        // Each number is written from its lowest byte up. The version is in the high half of the seventh byte, and the
        // variant in the top two bits of the ninth.
        var (first, second) = (generator.next() as UInt64, generator.next() as UInt64)
        first = first & ~(0xF0 << 48) | (0x40 << 48)
        second = second & ~0xC0 | 0x80
        let text = String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[end] = 0x2D
                    end += 1
                }
                let number = index < 8 ? first : second
                let byte = UInt8(truncatingIfNeeded: number >> (UInt64(index % 8) * 8))
                text[end] = (byte >> 4).hexadecimalDigit
                text[end + 1] = (byte & 0x0F).hexadecimalDigit
                end += 2
            }
            return end
        }
        return RequestID(checked: text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool { byte == 0x2D || byte.isASCIIAlphanumeric }
}

/// Random numbers from the system's generator, fetched for several ids at once, because getentropy(3) returns up to 256
/// bytes per call. A number is erased once it has been used.
private struct SystemRandomReserve: RandomNumberGenerator {
    static let shared = Mutex(SystemRandomReserve())

    private var numbers = [UInt64](repeating: 0, count: 32)
    private var left = 0

    mutating func next() -> UInt64 {
        if left == 0 { fill() }
        left -= 1
        defer { numbers[left] = 0 }
        return numbers[left]
    }

    private mutating func fill() {
        let status = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        if status != 0 {
            var generator = SystemRandomNumberGenerator()
            for index in numbers.indices { numbers[index] = generator.next() }
        }
        left = numbers.count
    }
}
