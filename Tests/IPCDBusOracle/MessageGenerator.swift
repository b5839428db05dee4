/// Generates messages from the protocol's grammar, in either byte order, and changes many of them.
package struct MessageGenerator {
    private var random: Randomness
    private var values: ValueGenerator
    private let faultOdds: Int
    private let descriptorCount: Int
    /// The types of the known header fields, in the order of the fields' codes.
    private static let types = Array("osssussgu".utf8)

    /// - Parameter descriptorCount: the number of descriptors that come with the message.
    package static func message(seed: UInt64, index: UInt64, descriptorCount: Int = 0) -> [UInt8] {
        var generator = MessageGenerator(seed, index, descriptorCount)
        return generator.changedMessage()
    }

    private init(_ seed: UInt64, _ index: UInt64, _ descriptorCount: Int) {
        random = Randomness(seed: seed, index: index)
        faultOdds = random.pick([0, 0, 0, 200, 60, 20])
        self.descriptorCount = descriptorCount
        let other = Randomness(seed: random.next(), index: index)
        values = ValueGenerator(
            other, isBigEndian: random.once(in: 2), faultOdds: faultOdds, descriptorCount: descriptorCount)
    }

    private mutating func isFault() -> Bool { random.once(in: faultOdds) }

    private mutating func changedMessage() -> [UInt8] {
        var bytes = message()
        if random.once(in: 3) { Mutation.change(&bytes, &random) }
        return bytes
    }

    private mutating func message() -> [UInt8] {
        let kind = isFault() ? random.byte() % 8 : UInt8(1 + random.below(4))
        let types = isFault() ? random.noSignature() : random.types(descriptors: descriptorCount > 0)
        values.out.raw([UInt8(ascii: values.out.isBigEndian ? "B" : "l"), kind, random.byte(), isFault() ? 2 : 1])
        values.out.number(0, size: 4)
        values.out.number(isFault() ? 0 : random.next() | 1, size: 4)
        values.out.number(0, size: 4)
        for field in fields(kind, types) { write(field, types) }
        values.out.setNumber(UInt32(values.out.count - 16), at: 12)
        values.align(8)
        let bodyStart = values.out.count
        // There are no values for invalid types, but the message is invalid even without values.
        if isRight(types) { values.values(types) }
        if isFault() { values.out.byte(0) }
        values.out.setNumber(UInt32(values.out.count - bodyStart), at: 4)
        return values.out.bytes
    }

    private func isRight(_ types: [UInt8]) -> Bool {
        let (opened, closed) = (Array("({".utf8), Array(")}".utf8))
        let known = Array("ybnqiuxtdsoghva(){}".utf8)
        return types.last != UInt8(ascii: "a") && types.allSatisfy(known.contains)
            && types.filter(opened.contains).count == types.filter(closed.contains).count
            && !["()", "a)", "a}", "{)", "(}", "{}"].contains { part in
                zip(types, types.dropFirst()).contains { [$0, $1] == Array(part.utf8) }
            } && types.first.map { !closed.contains($0) } ?? true && types != Array("a{s)v}".utf8)
    }

    /// The codes of the header fields, in any order.
    private mutating func fields(_ kind: UInt8, _ types: [UInt8]) -> [UInt8] {
        var fields: [UInt8] =
            switch kind {
            case 1: [1, 3]
            case 2: [5]
            case 3: [4, 5]
            case 4: [1, 2, 3]
            default: []
            }
        if !types.isEmpty { fields.append(8) }
        for more in UInt8(1)...7 where !fields.contains(more) && random.once(in: 5) { fields.append(more) }
        if descriptorCount > 0 || random.once(in: 60) { fields.append(9) }
        while random.once(in: 6) { fields.append(10 + random.byte() % 246) }
        if isFault() { fields.append(random.pick(fields + [0])) }
        if isFault(), !fields.isEmpty { fields.remove(at: random.below(fields.count)) }
        for place in fields.indices.dropFirst() where random.once(in: 3) { fields.swapAt(place, random.below(place)) }
        return fields
    }

    private mutating func write(_ field: UInt8, _ types: [UInt8]) {
        values.align(8)
        values.out.byte(field)
        guard (1...9).contains(field), !isFault() else {
            return values.plainVariant()
        }
        values.signature([Self.types[Int(field) - 1]])
        switch field {
        case 1: values.text(isFault() ? random.text() : random.path())
        case 2: values.text(isFault() ? random.text() : random.interface())
        case 3: values.text(isFault() ? random.text() : random.member())
        case 4: values.text(isFault() ? random.text() : random.interface())
        case 5: values.out.number(isFault() ? 0 : random.next() | 1, size: 4)
        case 6, 7: values.text(isFault() ? random.text() : random.busName())
        case 8: values.signature(types)
        default: values.out.number(UInt64(isFault() ? random.below(20) : descriptorCount), size: 4)
        }
    }
}

/// Changes messages without regard to the grammar. Some changes keep the lengths in the header correct.
enum Mutation {
    static func change(_ bytes: inout [UInt8], _ random: inout Randomness) {
        let bodyStart = bodyStart(bytes)
        let length = bytes.count
        for _ in 0...random.below(3) where bytes.count > 16 { changeOnce(&bytes, &random) }
        // Usually correct the length in the header. Otherwise most changes would be noticed by the length alone.
        guard bytes.count != length, bodyStart <= bytes.count, random.below(4) > 0 else { return }
        let isBig = bytes[0] == UInt8(ascii: "B")
        let body = UInt32(bytes.count - bodyStart)
        for index in 0..<4 {
            bytes[4 + index] = UInt8(truncatingIfNeeded: body >> UInt32((isBig ? 3 - index : index) * 8))
        }
    }

    private static func bodyStart(_ bytes: [UInt8]) -> Int {
        let isBig = bytes[0] == UInt8(ascii: "B")
        let fields = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << ((isBig ? 3 - $1 : $1) * 8) }
        return (16 + fields + 7) & ~7
    }

    private static func changeOnce(_ bytes: inout [UInt8], _ random: inout Randomness) {
        let place = random.once(in: 6) ? random.below(16) : random.below(bytes.count)
        switch random.below(10) {
        case 0...2: bytes[place] ^= 1 << (random.byte() & 7)
        case 3...4:
            bytes[place] = random.pick([0, 1, 2, 4, 8, 0x7f, 0x80, 0xff] + Array("ybnqiuxtdsogahv({)}lB/.:".utf8))
        case 5: bytes[place] = random.byte()
        case 6: bytes.insert(random.once(in: 2) ? 0 : random.byte(), at: place)
        case 7: bytes.remove(at: place)
        case 8:
            let word: [UInt8] = random.pick([
                [255, 255, 255, 255], [0, 0, 0, 4], [4, 0, 0, 0], [1, 0, 0, 4], [255, 255, 255, 127], [0, 0, 0, 128],
                [8, 0, 0, 0],
            ])
            let start = min(place & ~3, bytes.count - 4)
            bytes.replaceSubrange(start..<(start + 4), with: word)
        default:
            if random.once(in: 2) { return bytes.removeLast(1 + random.below(bytes.count - 1)) }
            let end = min(bytes.count, place + 1 + random.below(16))
            bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
        }
    }
}
