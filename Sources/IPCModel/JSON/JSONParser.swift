/// The reason why a text is not valid JSON.
package struct JSONError: Error, Hashable, CustomStringConvertible {
    /// The position of the first invalid byte, counted from 1.
    package let byte: Int
    package let reason: String
    package var description: String { "invalid JSON at byte \(byte): \(reason)" }
}

extension JSONValue {
    /// Parses a JSON text. Numbers and the order of members are kept exactly as in the text.
    package init(parsing text: some Collection<UInt8>) throws(JSONError) {
        var parser = JSONParser(bytes: Array(text))
        self = try parser.value()
        parser.skipBlanks()
        guard parser.next == nil else { throw parser.error("nothing may follow the value") }
    }

    package init(parsing text: String) throws(JSONError) { try self.init(parsing: text.utf8) }
}

/// Parses JSON exactly as RFC 8259 defines it, without extensions.
private struct JSONParser {
    let bytes: [UInt8]
    var place = 0
    var depth = 0

    /// The maximum nesting depth. Deeper nesting could exhaust the thread's stack.
    static let deepest = 512
    static let words: [(text: String, value: JSONValue)] = [
        ("true", .boolean(true)), ("false", .boolean(false)), ("null", .null),
    ]
    static let escapes: [Unicode.Scalar: String] = [
        "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]

    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    func error(_ reason: String) -> JSONError { JSONError(byte: place + 1, reason: reason) }

    mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    /// If the next byte is this character, skips it and returns true.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        place += 1
        return true
    }

    mutating func value() throws(JSONError) -> JSONValue {
        skipBlanks()
        switch next ?? 0 {
        case UInt8(ascii: "{"):
            var members: [JSONValue.Member] = []
            try list(until: "}") { (parser) throws(JSONError) in members.append(try parser.member()) }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try list(until: "]") { (parser) throws(JSONError) in elements.append(try parser.value()) }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default:
            guard let word = Self.words.first(where: { bytes[place...].starts(with: $0.text.utf8) }) else {
                throw error(next == nil ? "the text ends where a value is expected" : "no value starts like this")
            }
            place += word.text.utf8.count
            return word.value
        }
    }

    /// Parses an array or object, element by element.
    mutating func list(
        until end: Unicode.Scalar, _ element: (inout JSONParser) throws(JSONError) -> Void
    ) throws(JSONError) {
        depth += 1
        guard depth <= Self.deepest else { throw error("the value is nested deeper than \(Self.deepest)") }
        place += 1
        skipBlanks()
        if !take(end) {
            repeat {
                try element(&self)
                skipBlanks()
            } while take(",")
            guard take(end) else { throw error("“,” or “\(end)” is expected") }
        }
        depth -= 1
    }

    mutating func member() throws(JSONError) -> JSONValue.Member {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else { throw error("a key in quotation marks is expected") }
        let key = try string()
        skipBlanks()
        guard take(":") else { throw error("“:” is expected") }
        return JSONValue.Member(key, try value())
    }

    /// Parses a number and returns its text (RFC 8259 §6).
    mutating func number() throws(JSONError) -> String {
        let start = place
        _ = take("-")
        if !take("0") { try skipDigits() }
        if take(".") { try skipDigits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try skipDigits()
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    mutating func skipDigits() throws(JSONError) {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        guard place > start else { throw error("a digit is expected") }
    }

    /// Parses a string (RFC 8259 §7).
    mutating func string() throws(JSONError) -> String {
        place += 1
        var content: [UInt8] = []
        var start = place
        while let byte = next {
            guard byte >= 0x20 else { throw error("a control character must be escaped") }
            place += 1
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            content += bytes[start..<(place - 1)]
            if byte == UInt8(ascii: "\"") {
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw error("the string before this byte is not UTF-8")
                }
                return text
            }
            content += try escaped().utf8
            start = place
        }
        throw error("the text ends within a string")
    }

    /// Parses an escape sequence whose backslash has been read.
    mutating func escaped() throws(JSONError) -> String {
        if take("u") { return try unicode() }
        guard let next, let text = Self.escapes[Unicode.Scalar(next)] else {
            throw error("there is no such escape sequence")
        }
        place += 1
        return text
    }

    /// Parses the rest of an escape sequence whose `\u` has been read. If it is the first half of a surrogate pair, it
    /// parses the second half as well.
    mutating func unicode() throws(JSONError) -> String {
        let first = try codeUnit()
        if let text = String(validating: [first], as: UTF16.self) { return text }
        guard take("\\"), take("u"), let text = String(validating: [first, try codeUnit()], as: UTF16.self) else {
            throw error("half of a surrogate pair is not a character")
        }
        return text
    }

    mutating func codeUnit() throws(JSONError) -> UInt16 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("four hexadecimal digits are expected") }
        place += 4
        return unit
    }
}
