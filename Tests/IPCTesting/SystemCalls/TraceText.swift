/// The notation of strace(1): quoted strings with escapes, descriptors with their targets, nested arguments.
enum TraceText {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// The bytes of a quoted string; any text after the second quote (`...`) is ignored. Empty for anything else, such
    /// as `NULL`.
    static func bytes(ofString text: String) -> [UInt8] {
        let text = Array(text.utf8)
        guard text.first == quote else { return [] }
        return unescaped(text.dropFirst())
    }

    /// The buffers `{iov_base="…", iov_len=N}` in an argument, at any depth.
    static func vectors(in argument: String) -> [(bytes: [UInt8], length: Int)] {
        let text = Array(argument.utf8)
        let (base, length) = (Array("iov_base=".utf8), Array("iov_len=".utf8))
        var vectors: [(bytes: [UInt8], length: Int)] = []
        var index = 0
        while let start = find(base, in: text, from: index), let mark = find(length, in: text, from: start) {
            let digits = text[mark...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            let bytes = text[start] == quote ? unescaped(text[(start + 1)...]) : []
            vectors.append((bytes, Int(String(decoding: digits, as: UTF8.self)) ?? 0))
            index = mark
        }
        return vectors
    }

    /// The text in the angle brackets after a descriptor: `7</var/x>` gives `/var/x`.
    static func reference(inDescriptor text: String) -> String? {
        let text = Array(text.utf8)
        guard let open = text.firstIndex(of: UInt8(ascii: "<")), let close = endOfReference(text, from: open) else {
            return nil
        }
        return String(decoding: unescaped(text[(open + 1)..<close], toQuote: false), as: UTF8.self)
    }

    /// The arguments of a call up to its closing bracket, and the index after the bracket; `nil` if there is none.
    static func arguments(_ text: [UInt8], from start: Int) -> (arguments: [String], end: Int)? {
        var arguments: [String] = []
        var (index, begin, depth) = (start, start, 0)
        func argument() -> String {
            String(decoding: text[begin..<index].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        }
        while index < text.count {
            switch text[index] {
            case quote: index = endOfString(text, from: index)
            case UInt8(ascii: "<"):
                index = endOfReference(text, from: index) ?? index
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")") where depth == 0:
                if begin < index || !arguments.isEmpty { arguments.append(argument()) }
                return (arguments, index + 1)
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                arguments.append(argument())
                begin = index + 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The index of the quote that ends the string starting at `start`.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < text.count, text[index] != quote { index += text[index] == backslash ? 2 : 1 }
        return index
    }

    /// The index of the `>` that ends a reference. The `>` of an arrow, as in `[1->2]`, does not end one, and strace
    /// escapes each `>` in a path.
    private static func endOfReference(_ text: [UInt8], from start: Int) -> Int? {
        text[start...].indices.first { index in
            guard text[index] == UInt8(ascii: ">") else { return false }
            let next = index + 1 < text.count ? text[index + 1] : 0
            return text[index - 1] != UInt8(ascii: "-") || !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
        }
    }

    private static func unescaped(_ text: ArraySlice<UInt8>, toQuote: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            if toQuote, byte == quote { break }
            bytes.append(byte == backslash ? escape(text, &index) : byte)
        }
        return bytes
    }

    /// The byte that an escape sequence stands for: hexadecimal, octal, or a C letter. Its backslash is before `index`.
    private static func escape(_ text: ArraySlice<UInt8>, _ index: inout Int) -> UInt8 {
        guard index < text.endIndex else { return backslash }
        let letter = text[index]
        if letter == UInt8(ascii: "x") {
            index += 1
            return number(text, &index, base: 16, digits: 2)
        }
        if (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(letter) {
            return number(text, &index, base: 8, digits: 3)
        }
        index += 1
        let letters = Array("nrtvfa".utf8)
        let meanings: [UInt8] = [10, 13, 9, 11, 12, 7]
        return letters.firstIndex(of: letter).map { meanings[$0] } ?? letter
    }

    private static func number(_ text: ArraySlice<UInt8>, _ index: inout Int, base: UInt, digits: Int) -> UInt8 {
        var value: UInt = 0
        for _ in 0..<digits where index < text.endIndex {
            guard let digit = UInt(String(UnicodeScalar(text[index])), radix: Int(base)) else { break }
            value = value * base + digit
            index += 1
        }
        return UInt8(truncatingIfNeeded: value)
    }

    /// The index after the next occurrence of `pattern`.
    private static func find(_ pattern: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        guard text.count >= start + pattern.count else { return nil }
        return (start...(text.count - pattern.count))
            .first { text[$0] == pattern[0] && text[$0..<($0 + pattern.count)].elementsEqual(pattern) }
            .map { $0 + pattern.count }
    }
}
