/// Writes random values of given types, and rarely invalid ones.
struct ValueGenerator {
    var random: Randomness
    var out: WireWriter
    /// On average, one in this many values breaks a rule; 0 means none.
    var faultOdds: Int
    /// The number of descriptors that come with the message.
    var descriptorCount: Int
    /// The number of values that may still be written; after that, arrays are empty.
    var budget = 60
    private var variantDepth = 0
    /// Whether values are kept far below the nesting limits.
    private var isPlain = false

    init(_ random: Randomness, isBigEndian: Bool, faultOdds: Int, descriptorCount: Int) {
        (self.random, self.faultOdds, self.descriptorCount) = (random, faultOdds, descriptorCount)
        out = WireWriter(isBigEndian: isBigEndian)
    }

    private mutating func isFault() -> Bool { random.once(in: faultOdds) }

    mutating func align(_ size: Int) { out.align(size, filler: isFault() ? 1 + random.byte() % 255 : 0) }

    private mutating func number(_ value: UInt64, _ size: Int) {
        align(size)
        out.number(value, size: size)
    }

    /// Strings have a length before them and a NUL after them.
    mutating func text(_ text: [UInt8]) {
        number(UInt64(bitPattern: Int64(text.count + (isFault() ? random.below(5) - 1 : 0))), 4)
        out.raw(text)
        out.byte(isFault() ? 1 : 0)
    }

    mutating func signature(_ text: [UInt8]) {
        out.byte(UInt8(truncatingIfNeeded: text.count + (isFault() ? random.below(3) - 1 : 0)))
        out.raw(text)
        out.byte(isFault() ? 1 : 0)
    }

    /// Writes a value of each type.
    mutating func values(_ types: [UInt8]) {
        var at = 0
        while at < types.count { value(types, &at) }
    }

    /// Writes a value of the type that starts at `at`, and advances `at` to the next type.
    private mutating func value(_ types: [UInt8], _ at: inout Int) {
        budget -= 1
        let code = types[at]
        at += 1
        switch code {
        case UInt8(ascii: "y"): out.byte(random.byte())
        case UInt8(ascii: "b"): number(isFault() ? random.next() >> 32 : UInt64(random.below(2)), 4)
        case UInt8(ascii: "n"), UInt8(ascii: "q"): number(random.next(), 2)
        case UInt8(ascii: "i"), UInt8(ascii: "u"): number(random.next(), 4)
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): number(random.next(), 8)
        case UInt8(ascii: "h"):
            let isRight = descriptorCount > 0 && !isFault()
            number(isRight ? UInt64(random.below(descriptorCount)) : random.next() >> 60, 4)
        case UInt8(ascii: "s"): text(isFault() ? random.noText() : random.text())
        case UInt8(ascii: "o"): text(isFault() ? random.text() : random.path())
        case UInt8(ascii: "g"): signature(isFault() ? random.noSignature() : isPlain ? random.type(2) : random.types())
        case UInt8(ascii: "v"): variant()
        case UInt8(ascii: "a"): array(types, &at)
        default:
            align(8)
            while types[at] != UInt8(ascii: ")"), types[at] != UInt8(ascii: "}") { value(types, &at) }
            at += 1
        }
    }

    private mutating func array(_ types: [UInt8], _ at: inout Int) {
        number(0, 4)
        let place = out.count - 4
        align(Self.alignment(types[at]))
        let start = out.count
        let element = at
        at = Self.end(types, at)
        for _ in 0..<random.below(4) where budget > 0 {
            var inside = element
            value(types, &inside)
        }
        // Often make sure that an array with a deep type is not empty, because its elements matter for the test.
        if out.count == start, budget > 20, variantDepth == 0, random.once(in: 2) {
            var inside = element
            value(types, &inside)
        }
        let length = out.count - start
        out.setNumber(UInt32(truncatingIfNeeded: isFault() ? wrongLength(length) : length), at: place)
    }

    private mutating func wrongLength(_ length: Int) -> Int {
        random.pick([
            length + 1, length - 1, length + 4, length - 4, length + 8, -1, 1 << 26, (1 << 26) + 1, 0x7fff_ffff,
        ])
    }

    private mutating func variant() {
        variantDepth += 1
        defer { variantDepth -= 1 }
        if variantDepth == 1, !isPlain, random.once(in: 40) { return variants() }
        let depth = budget > 0 && variantDepth < 4 ? 2 : 0
        var type = random.type(depth, descriptors: descriptorCount > 0)
        if variantDepth == 1, !isPlain, random.once(in: 40) { type = random.edgeType() }
        signature(isFault() ? random.noSignature() : type)
        values(type)
    }

    /// Writes the value of an unknown header field. The comparison cannot read this value with libdbus's iterators, so
    /// it must not contain anything that IPCDBus and libdbus judge differently on purpose.
    mutating func plainVariant() {
        isPlain = true
        defer { isPlain = false }
        variant()
    }

    /// Nested variants, about as many as allowed.
    private mutating func variants() {
        for _ in 0..<(56 + random.below(9)) { signature([UInt8(ascii: "v")]) }
        let type = random.type(2)
        signature(type)
        values(type)
    }

    static func alignment(_ code: UInt8) -> Int {
        switch code {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }

    /// Where the type that starts at a position ends.
    private static func end(_ types: [UInt8], _ start: Int) -> Int {
        var (at, depth) = (start, 0)
        while true {
            switch types[at] {
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            at += 1
            if depth == 0, types[at - 1] != UInt8(ascii: "a") { return at }
        }
    }
}
