/// The types of zero or more values (D-Bus specification, "Type system").
public struct Signature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    /// - Throws: ``MessageError/invalidSignature(_:)`` for a text that is no sequence of complete types, longer than
    ///   255 bytes, or deeper than 32 arrays and 32 structures.
    public init(_ text: String) throws(MessageError) {
        guard text.utf8.count <= 255, SignatureGrammar(text).isValid else { throw .invalidSignature(text) }
        self.text = text
    }

    /// For signatures that stand in the source; a misspelled one is a programming error.
    public init(stringLiteral text: StaticString) {
        let text = "\(text)"
        // An entry such as {sv} is no type by itself, but it is what the arrays that are dictionaries are made of.
        let isEntry = text.utf8.first == UInt8(ascii: "{") && SignatureGrammar("a" + text).isValid
        precondition(isEntry || SignatureGrammar(text).isValid, "“\(text)” is no signature")
        self.text = text
    }

    init(trusted text: String) { self.text = text }

    public var description: String { text }
    /// Whether this is exactly one complete type, as a variant and the elements of an array ask for.
    public var isSingleType: Bool { SignatureGrammar(text).completeTypes == 1 }
}

/// A recursive reading of a signature.
private struct SignatureGrammar {
    private let bytes: [UInt8]
    private static let basic = Set("ybnqiuxtdsogh".utf8)

    init(_ text: String) { bytes = Array(text.utf8) }

    var isValid: Bool { completeTypes != nil }

    var completeTypes: Int? {
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
        case let code: return Self.basic.contains(code) ? start + 1 : nil
        }
    }

    private func endOfEntry(_ key: Int, arrays: Int, structures: Int) -> Int? {
        guard key < bytes.count, Self.basic.contains(bytes[key]),
            let close = end(of: key + 1, arrays: arrays, structures: structures + 1),
            close < bytes.count, bytes[close] == UInt8(ascii: "}")
        else { return nil }
        return close + 1
    }
}
