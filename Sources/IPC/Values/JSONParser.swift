/// Reads a JSON text by the grammar of RFC 8259, no more and no less, but for a depth of 512.
package struct JSONParser {
    /// What is wrong, and where.
    package struct Flaw: Error {
        /// The byte, counted from 1.
        package let byte: Int
        package let reason: String
    }

    /// The most arrays and objects in each other; a deeper text would cost the thread its stack.
    package static let deepest = 512

    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0

    /// Reads a whole text.
    package static func parse(_ bytes: [UInt8]) throws(Flaw) -> JSONTree {
        var parser = JSONParser(bytes)
        let tree = try parser.value()
        parser.skipBlanks()
        guard parser.next == nil else { throw parser.flaw("nothing may follow the value") }
        return tree
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private func flaw(_ reason: String) -> Flaw { Flaw(byte: place + 1, reason: reason) }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Passes over a byte if it stands there.
    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        place += 1
        return true
    }

    private mutating func value() throws(Flaw) -> JSONTree {
        skipBlanks()
        guard let first = next else { throw flaw("the text ends where a value is expected") }
        switch first {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw flaw("no value starts like this")
        }
    }

    private mutating func word(_ word: StaticString, _ tree: JSONTree) throws(Flaw) -> JSONTree {
        let end = place + word.utf8CodeUnitCount
        guard end <= bytes.count,
            word.withUTF8Buffer({ bytes[place..<end].elementsEqual($0) })
        else { throw flaw("“\(word)” is expected") }
        place = end
        return tree
    }

    /// The parts of an array or object, up to its end.
    private mutating func parts(
        until end: Unicode.Scalar, _ part: (inout JSONParser) throws(Flaw) -> Void
    ) throws(Flaw) {
        depth += 1
        guard depth <= Self.deepest else { throw flaw("the value is nested deeper than \(Self.deepest)") }
        place += 1
        skipBlanks()
        if !take(end) {
            repeat {
                try part(&self)
                skipBlanks()
            } while take(",")
            guard take(end) else { throw flaw("“,” or “\(end)” is expected") }
        }
        depth -= 1
    }

    private mutating func array() throws(Flaw) -> [JSONTree] {
        var elements: [JSONTree] = []
        try parts(until: "]") { (parser) throws(Flaw) in elements.append(try parser.value()) }
        return elements
    }

    private mutating func object() throws(Flaw) -> [(name: String, value: JSONTree)] {
        var members: [(name: String, value: JSONTree)] = []
        try parts(until: "}") { (parser) throws(Flaw) in
            parser.skipBlanks()
            guard parser.next == UInt8(ascii: "\"") else { throw parser.flaw("a name in quotation marks is expected") }
            let name = try parser.string()
            parser.skipBlanks()
            guard parser.take(":") else { throw parser.flaw("“:” is expected") }
            members.append((name, try parser.value()))
        }
        return members
    }

    /// RFC 8259 §6.
    private mutating func number() throws(Flaw) -> String {
        let start = place
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func digits() throws(Flaw) {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        guard place > start else { throw flaw("a digit is expected") }
    }

    /// RFC 8259 §7.
    private mutating func string() throws(Flaw) -> String {
        place += 1
        var content: [UInt8] = []
        var start = place
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                content += bytes[start..<place]
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw flaw("the string before is not UTF-8")
                }
                place += 1
                return text
            case UInt8(ascii: "\\"):
                content += bytes[start..<place]
                place += 1
                content += Array(String(try escaped()).utf8)
                start = place
            case 0..<0x20: throw flaw("a control character must be escaped")
            default: place += 1
            }
        }
        throw flaw("the text ends within a string")
    }

    /// What stands behind a reverse solidus.
    private mutating func escaped() throws(Flaw) -> Unicode.Scalar {
        defer { place += 1 }
        switch next {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw flaw("no such character is escaped")
        }
    }

    /// One or, beyond U+FFFF, two groups of four hexadecimal digits; leaves the place at the last digit.
    private mutating func scalar() throws(Flaw) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(first)), place + 2 < bytes.count, bytes[place + 1] == UInt8(ascii: "\\"),
            bytes[place + 2] == UInt8(ascii: "u")
        else { throw flaw("half of a surrogate pair is no character") }
        place += 2
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(UInt16(second)),
            let scalar = Unicode.Scalar(0x1_0000 + (first & 0x3FF) << 10 + (second & 0x3FF))
        else { throw flaw("half of a surrogate pair is no character") }
        return scalar
    }

    private mutating func codeUnit() throws(Flaw) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            place += 1
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw flaw("four hexadecimal digits are expected")
            }
            unit = unit << 4 + UInt32(digit)
        }
        return unit
    }
}
