/// Parses a content type by the grammar of RFC 2045 §5.1, with the blanks around “;” that RFC 9110 §5.6.6 allows.
struct ContentTypeGrammar {
    private let text: String
    private var rest: ArraySlice<UInt8>

    init(_ text: String) throws(ContentType.Invalid) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= ContentType.maximumBytes else { throw .tooLong(text) }
        if let scalar = text.unicodeScalars.first(where: { !(" "..."~").contains($0) }) {
            throw .character(text, scalar)
        }
        self.text = text
        rest = Array(text.utf8)[...]
    }

    /// Whether a text is a type and a subtype in lower case, without parameters, so that it need not be parsed. Most
    /// types are, and for a short value, parsing its type would take longer than all other work.
    static func isEssence(_ text: String) -> Bool {
        guard text.utf8.count <= ContentType.maximumBytes else { return false }
        // The length of the token before the slash; `nil` before the slash is found.
        var first: Int?
        var length = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "/") where first == nil: (first, length) = (length, 0)
            case UInt8(ascii: "*"), UInt8(ascii: "A")...UInt8(ascii: "Z"): return false
            case _ where isToken(byte): length += 1
            default: return false
            }
        }
        return first ?? 0 > 0 && length > 0
    }

    /// Parses the essence and the parameters, and sorts the parameters by name.
    mutating func parse() throws(ContentType.Invalid) -> (essence: String, parameters: [ContentType.Parameter]) {
        let first = token()
        guard !first.isEmpty else { throw .noType(text) }
        guard take("/") else {
            guard rest.isEmpty else { throw .unexpected(text, byte: position, "nothing may follow a bare name") }
            return (first, [])
        }
        let second = token()
        guard !second.isEmpty else { throw .noSubtype(text) }
        guard first != "*" && second != "*" else { throw .range(text) }
        return ("\(first)/\(second)".asciiLowercased, try parameters())
    }

    private mutating func parameters() throws(ContentType.Invalid) -> [ContentType.Parameter] {
        var found: [ContentType.Parameter] = []
        while !rest.isEmpty {
            skipBlanks()
            guard take(";") else { throw .unexpected(text, byte: position, "“;” must precede a parameter") }
            skipBlanks()
            let name = token().asciiLowercased
            guard !name.isEmpty, take("=") else {
                throw .unexpected(text, byte: position, "a parameter must have the form “name=value”")
            }
            guard !found.contains(where: { $0.name == name }) else { throw .parameterTwice(text, name) }
            let value = try value()
            // Only the value of `charset` is known to be case-insensitive (RFC 2046 §4.1.2).
            found.append(.init(name: name, value: name == "charset" ? value.asciiLowercased : value))
        }
        return found.sorted { $0.name < $1.name }
    }

    private mutating func value() throws(ContentType.Invalid) -> String {
        guard take("\"") else {
            let value = token()
            guard !value.isEmpty else {
                throw .unexpected(text, byte: position, "a value must be a token, or be in quotation marks")
            }
            return value
        }
        var value: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { break }
                byte = escaped
            }
            value.append(byte)
        }
        throw .openQuotation(text)
    }

    private mutating func token() -> String {
        let token = rest.prefix(while: Self.isToken)
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

    /// The position of the next byte, counted from 1.
    private var position: Int { rest.startIndex + 1 }

    /// Whether a byte may occur in a `token` of RFC 2045 §5.1: visible ASCII except `tspecials`.
    static func isToken(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "(", ")", "<", ">", "@", ",", ";", ":", "\\", "\"", "/", "[", "]", "?", "=": false
        default: byte.isASCIIVisible
        }
    }
}
