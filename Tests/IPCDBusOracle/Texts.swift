/// Random strings that follow a grammar, are close to its limits, or violate it.
extension Randomness {
    private static let word = Array("abzAZ_09".utf8)

    private mutating func element(leadingDigit: Bool = false) -> [UInt8] {
        var element = (0...below(5)).map { _ in pick(Self.word) }
        if !leadingDigit, element[0] <= UInt8(ascii: "9") { element[0] = UInt8(ascii: "q") }
        return element
    }

    private mutating func elements(_ least: Int, leadingDigit: Bool = false) -> [UInt8] {
        var elements = [element(leadingDigit: leadingDigit)]
        for _ in 1..<max(2, least + below(3)) where elements.count < least || once(in: 2) {
            elements.append(element(leadingDigit: leadingDigit))
        }
        while elements.count < least { elements.append(element(leadingDigit: leadingDigit)) }
        return Array(elements.joined(separator: [UInt8(ascii: ".")]))
    }

    mutating func path() -> [UInt8] {
        if once(in: 40) { return Array(pick(["/org/freedesktop/DBus/Local", "/org/freedesktop/DBus"]).utf8) }
        if once(in: 200) { return Array("/org/freedesktop/DBus/Local/x".utf8) }
        return once(in: 8)
            ? [UInt8(ascii: "/")] : (0...below(4)).flatMap { _ in [UInt8(ascii: "/")] + element(leadingDigit: true) }
    }

    mutating func interface() -> [UInt8] {
        if once(in: 40) { return Array(pick(["org.freedesktop.DBus.Local", "org.freedesktop.DBus"]).utf8) }
        if once(in: 200) { return Array("org.freedesktop.DBus.Local2".utf8) }
        if once(in: 60) { return elements(2) + [UInt8](repeating: UInt8(ascii: "x"), count: 235 + below(20)) }
        return elements(2)
    }

    mutating func member() -> [UInt8] { element() }

    mutating func busName() -> [UInt8] {
        if once(in: 60) { return Array(pick([":", ":1", ":.a", ":a.", ":a..b", ":1.2.3", "a-b.c-d", "-.-"]).utf8) }
        return once(in: 2) ? [UInt8(ascii: ":")] + elements(2, leadingDigit: true) : elements(2)
    }

    /// Human-readable text: ASCII, any character, and rarely invalid bytes.
    mutating func text() -> [UInt8] {
        switch below(12) {
        case 0: return []
        case 1...6: return (0...below(20)).map { _ in 32 + byte() % 95 }
        case 7:
            return Array(
                pick(["日本語", "😀", "\u{10FFFF}", "\u{FFFF}", "e\u{301}", "\u{FEFF}", "\u{FFFD}"]).utf8)
        case 8...9:
            var text = String.UnicodeScalarView()
            for _ in 0...below(6) { text.append(Unicode.Scalar(UInt32(next() >> 43)) ?? "\u{7F}") }
            return Array(String(text).utf8.filter { $0 != 0 })
        default: return (0...below(200)).map { _ in 32 + byte() % 95 }
        }
    }

    /// Bytes that a D-Bus string must not contain: invalid UTF-8 of various kinds, or a NUL character.
    mutating func noText() -> [UInt8] {
        pick([
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [97, 0, 98], [0], Array("1234567".utf8) + [0x80],
            Array("12345678".utf8) + [0],
        ])
    }

    // MARK: Signatures

    private static let basic = Array("ybnqiuxtdsog".utf8)

    /// One complete type; `depth` limits its nesting.
    mutating func type(_ depth: Int, descriptors: Bool = false) -> [UInt8] {
        switch depth > 0 ? below(10) : below(4) {
        case 0...3:
            if descriptors, once(in: 3) { return [UInt8(ascii: "h")] }
            return [once(in: 200) ? UInt8(ascii: "h") : pick(Self.basic)]
        case 4...5: return [UInt8(ascii: "v")]
        case 6...7: return [UInt8(ascii: "a")] + type(depth - 1, descriptors: descriptors)
        case 8:
            let fields = (0...below(4)).flatMap { _ in type(depth - 1, descriptors: descriptors) }
            return [UInt8(ascii: "(")] + fields + [UInt8(ascii: ")")]
        default:
            return Array("a{".utf8) + [pick(Self.basic)] + type(depth - 1, descriptors: descriptors) + [
                UInt8(ascii: "}")
            ]
        }
    }

    mutating func types(descriptors: Bool = false) -> [UInt8] {
        if once(in: 12) { return [] }
        if once(in: 12) { return Array("a{sv}".utf8) }
        if once(in: 20) { return edgeType() }
        let types = (0...below(4)).flatMap { _ in type(below(5), descriptors: descriptors) }
        return types.count <= 255 ? types : Array("s".utf8)
    }

    /// A type that nearly reaches the limits for the depth or the length of a signature, and rarely exceeds them.
    mutating func edgeType() -> [UInt8] {
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        let (count, fewer) = (30 + below(4), 14 + below(5))
        let inner = pick(["y", "t", "s", "v", "b", "ay", "at", "g"])
        let type =
            switch below(9) {
            case 0: repeated("a", count) + inner
            case 1: repeated("(", count) + inner + repeated(")", count)
            case 2: repeated("a(", count) + inner + repeated(")", count)
            case 3: repeated("a{y(", fewer) + inner + repeated(")}", fewer)
            case 4: repeated("a{y", count) + inner + repeated("}", count)
            case 5: repeated("a{y", 20) + repeated("(", 20) + inner + repeated(")", 20) + repeated("}", 20)
            case 6: repeated("aa(", fewer) + inner + repeated(")", fewer)
            case 7: "(" + repeated(inner, 250 / inner.utf8.count) + ")"
            default: repeated("a", count) + repeated("(", count) + inner + repeated(")", count)
            }
        return type.utf8.count <= 255 ? Array(type.utf8) : Array("ay".utf8)
    }

    /// An invalid signature.
    mutating func noSignature() -> [UInt8] {
        Array(
            pick([
                "", "yy", "(", ")", "()", "a", "a{", "a{s}", "a{vs}", "{sv}", "a{sss}", "a{(y)s}", "(y", "a()", "m",
                "z", "r", "e", "((y)", "a}", "(a)", "a{sa}", "a{s)v}", "(y}",
            ]).utf8)
    }
}
