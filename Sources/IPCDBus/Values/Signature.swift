/// The types of zero or more values (D-Bus specification, "Type system").
public struct Signature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``MessageError/invalidSignature(_:)`` unless the string is a sequence of complete types, has at most
    ///   255 bytes, and nests at most 32 arrays and 32 structures.
    public init(_ text: String) throws(MessageError) {
        guard text.utf8.count <= 255, SignatureGrammar.isValid(text) else { throw .invalidSignature(text) }
        self.text = text
    }

    /// For signatures in source code; an invalid one is a programming error.
    public init(stringLiteral text: StaticString) {
        let text = "\(text)"
        // An entry such as {sv} is not a complete type, but it is the element type of a dictionary.
        let isEntry = text.utf8.first == UInt8(ascii: "{") && SignatureGrammar.isValid("a" + text)
        precondition(isEntry || SignatureGrammar.isValid(text), "“\(text)” is not a signature")
        self.text = text
    }

    init(trusted text: String) { self.text = text }

    public var description: String { text }
    /// Whether this is exactly one complete type, as variants and arrays require.
    public var isSingleType: Bool {
        var text = text
        return text.withUTF8 { SignatureGrammar.isSingleType(ReceivedBytes(UnsafeRawBufferPointer($0))) }
    }
}

/// A recursive-descent parser for signatures (D-Bus specification, "Valid Signatures").
struct SignatureGrammar {
    private let bytes: ReceivedBytes
    private var at = 0
    /// The nesting limit of arrays and, separately, of structures. A dictionary entry does not count as a structure.
    static var deepest: UInt8 { 32 }

    private init(_ bytes: ReceivedBytes) { self.bytes = bytes }

    static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isValid(ReceivedBytes(UnsafeRawBufferPointer($0))) }
    }

    static func isValid(_ bytes: ReceivedBytes) -> Bool {
        var grammar = SignatureGrammar(bytes)
        while grammar.at < bytes.count { guard grammar.passType(arrays: 0, structures: 0) else { return false } }
        return true
    }

    static func isSingleType(_ bytes: ReceivedBytes) -> Bool {
        var grammar = SignatureGrammar(bytes)
        return grammar.passType(arrays: 0, structures: 0) && grammar.at == bytes.count
    }

    /// The length of the first type in a valid signature.
    static func lengthOfRightType(_ bytes: ReceivedBytes) -> Int {
        var (length, depth) = (0, 0)
        while length < bytes.count {
            let byte = bytes[length]
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
        switch code {
        case UInt8(ascii: "y"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"),
            UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "s"),
            UInt8(ascii: "o"), UInt8(ascii: "g"), UInt8(ascii: "h"):
            true
        default: false
        }
    }

    /// Skips the next type, and returns whether it is a complete type.
    private mutating func passType(arrays: UInt8, structures: UInt8) -> Bool {
        guard at < bytes.count else { return false }
        let code = bytes[at]
        at += 1
        switch code {
        case UInt8(ascii: "v"): return true
        case UInt8(ascii: "a"):
            guard arrays < Self.deepest else { return false }
            guard at < bytes.count, bytes[at] == UInt8(ascii: "{") else {
                return passType(arrays: arrays + 1, structures: structures)
            }
            at += 1
            return passEntry(arrays: arrays + 1, structures: structures)
        case UInt8(ascii: "("):
            guard structures < Self.deepest else { return false }
            repeat {
                // Most fields have basic types. They are skipped without a recursive call.
                if at < bytes.count, Self.isBasic(bytes[at]) {
                    at += 1
                } else {
                    guard passType(arrays: arrays, structures: structures + 1) else { return false }
                }
            } while at < bytes.count && bytes[at] != UInt8(ascii: ")")
            return passBracket(UInt8(ascii: ")"))
        default: return Self.isBasic(code)
        }
    }

    private mutating func passEntry(arrays: UInt8, structures: UInt8) -> Bool {
        guard at < bytes.count, Self.isBasic(bytes[at]) else { return false }
        at += 1
        return passType(arrays: arrays, structures: structures) && passBracket(UInt8(ascii: "}"))
    }

    private mutating func passBracket(_ bracket: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == bracket else { return false }
        at += 1
        return true
    }
}
