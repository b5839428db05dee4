/// The types of zero or more values (D-Bus specification, "Type system").
public struct Signature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``MessageError/invalidSignature(_:)`` for a text that is no sequence of complete types, longer than
    ///   255 bytes, or deeper than 32 arrays and 32 structures.
    public init(_ text: String) throws(MessageError) {
        guard text.utf8.count <= 255, SignatureGrammar.isValid(text) else { throw .invalidSignature(text) }
        self.text = text
    }

    /// For signatures that stand in the source; a misspelled one is a programming error.
    public init(stringLiteral text: StaticString) {
        let text = "\(text)"
        // An entry such as {sv} is no type by itself, but it is what the arrays that are dictionaries are made of.
        let isEntry = text.utf8.first == UInt8(ascii: "{") && SignatureGrammar.isValid("a" + text)
        precondition(isEntry || SignatureGrammar.isValid(text), "“\(text)” is no signature")
        self.text = text
    }

    init(trusted text: String) { self.text = text }

    public var description: String { text }
    /// Whether this is exactly one complete type, as a variant and the elements of an array ask for.
    public var isSingleType: Bool {
        var text = text
        return text.withUTF8 { SignatureGrammar.isSingleType(UnsafeRawBufferPointer($0)) }
    }
}

/// A recursive reading of a signature.
struct SignatureGrammar {
    private let bytes: UnsafeRawBufferPointer
    private static let basic: StaticString = "ybnqiuxtdsogh"

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether a text is a sequence of complete types.
    static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { SignatureGrammar(UnsafeRawBufferPointer($0)).completeTypes != nil }
    }

    static func isSingleType(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count == 1 { return bytes[0] == UInt8(ascii: "v") || isBasic(bytes[0]) }
        // An entry stands in an array only.
        return bytes.first != UInt8(ascii: "{") && lengthOfType(bytes) == bytes.count && !bytes.isEmpty
    }

    /// The length of the first complete type, or of an entry such as `{sv}`, which is what an array of it is made of; 0
    /// where there is none.
    static func lengthOfType(_ bytes: UnsafeRawBufferPointer) -> Int {
        let grammar = SignatureGrammar(bytes)
        if bytes.first == UInt8(ascii: "{") { return grammar.endOfEntry(1, arrays: 1, structures: 0) ?? 0 }
        return grammar.end(of: 0, arrays: 0, structures: 0) ?? 0
    }

    /// The same of what is known to be right, without a look at its parts: it is asked at each element of an array.
    static func lengthOfRightType(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (length, depth) = (0, 0)
        for byte in bytes {
            length += 1
            switch byte {
            case UInt8(ascii: "a"): continue
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth == 0 { return length }
        }
        return length
    }

    private static func isBasic(_ code: UInt8) -> Bool {
        for index in 0..<basic.utf8CodeUnitCount where basic.utf8Start[index] == code { return true }
        return false
    }

    private var completeTypes: Int? {
        var at = 0
        var count = 0
        while at < bytes.count {
            guard let next = end(of: at, arrays: 0, structures: 0) else { return nil }
            at = next
            count += 1
        }
        return count
    }

    /// The index after the complete type at `start`, or `nil` if there is none.
    private func end(of start: Int, arrays: Int, structures: Int) -> Int? {
        guard start < bytes.count, arrays <= 32, structures <= 32 else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "v"): return start + 1
        case UInt8(ascii: "a"):
            guard start + 1 < bytes.count else { return nil }
            if bytes[start + 1] == UInt8(ascii: "{") {
                return endOfEntry(start + 2, arrays: arrays + 1, structures: structures)
            }
            return end(of: start + 1, arrays: arrays + 1, structures: structures)
        case UInt8(ascii: "("):
            var at = start + 1
            while at < bytes.count, bytes[at] != UInt8(ascii: ")") {
                guard let next = end(of: at, arrays: arrays, structures: structures + 1) else { return nil }
                at = next
            }
            return at < bytes.count && at > start + 1 ? at + 1 : nil
        case let code: return Self.isBasic(code) ? start + 1 : nil
        }
    }

    private func endOfEntry(_ key: Int, arrays: Int, structures: Int) -> Int? {
        guard key < bytes.count, Self.isBasic(bytes[key]),
            let close = end(of: key + 1, arrays: arrays, structures: structures + 1),
            close < bytes.count, bytes[close] == UInt8(ascii: "}")
        else { return nil }
        return close + 1
    }
}
