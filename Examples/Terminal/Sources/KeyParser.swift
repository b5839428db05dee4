/// Converts the bytes that a terminal sends, in any pieces, to events: UTF-8, control characters, the sequences of
/// special keys (ECMA-48 §5.4; xterm, “PC-Style Function Keys”), and bracketed pastes.
struct KeyParser {
    private var pending: [UInt8] = []
    /// The bytes pasted so far; `nil` outside a bracketed paste.
    private var paste: [UInt8]?

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    /// Whether the pending bytes may be the Escape key, or the beginning of a longer sequence.
    var isUndecided: Bool { paste == nil && pending.first == Self.escape }

    /// Adds these bytes, and returns the events that are now complete.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> [TerminalEvent] {
        pending += bytes
        var events: [TerminalEvent] = []
        while !pending.isEmpty, let found = paste == nil ? next() : restOfPaste() {
            pending.removeFirst(found.used)
            events += found.events
        }
        return events
    }

    /// Called when no bytes have followed for a while. A pending Escape was then the key, and not the start of a
    /// sequence.
    mutating func decide() -> [TerminalEvent] {
        guard isUndecided else { return [] }
        pending.removeFirst()
        return [.key(.escape)] + feed([])
    }

    /// The events that were found, and the number of bytes that they take.
    private typealias Found = (events: [TerminalEvent], used: Int)

    /// The events at the beginning of the pending bytes; `nil` while they are incomplete.
    private mutating func next() -> Found? {
        switch pending[0] {
        case Self.escape: escaped()
        case 0..<0x20, 0x7F: ([Self.control(pending[0])].compactMap { $0 }.map(TerminalEvent.key), 1)
        default: text()
        }
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x08, 0x7F: .backspace
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        default: nil
        }
    }

    private func text() -> Found? {
        var end = pending.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? pending.count
        if end == pending.count { end -= Self.cutScalar(at: pending[...]) }
        guard end > 0 else { return nil }
        return (String(decoding: pending[..<end], as: UTF8.self).map { .key(.character($0)) }, end)
    }

    /// The number of bytes at the end that belong to a scalar whose remaining bytes have not arrived (RFC 3629 §3).
    private static func cutScalar(at bytes: ArraySlice<UInt8>) -> Int {
        for count in 1...3 where count <= bytes.count {
            let byte = bytes[bytes.endIndex - count]
            let length =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                case 0x80...0xBF: 0
                default: 1
                }
            if length > 0 { return length > count ? count : 0 }
        }
        return 0
    }

    private mutating func escaped() -> Found? {
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "["): return sequence()
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return nil }
            return (Self.key(final: pending[2], number: 1).map { [.key($0)] } ?? [], 3)
        case Self.escape: return ([.key(.escape)], 1)
        case 0..<0x20, 0x7F: return ([.key(.escape)], 1)
        default:
            var rest = self
            rest.pending.removeFirst()
            guard case .key(.character(let character))? = rest.text()?.events.first else { return nil }
            return ([.key(.alt(character))], 1 + character.utf8.count)
        }
    }

    /// Parses a control sequence: parameters, then the final byte that identifies it.
    private mutating func sequence() -> Found? {
        guard let end = pending[2...].firstIndex(where: { !(0x20...0x3F).contains($0) }) else { return nil }
        // If this byte cannot end a control sequence, the sequence is invalid: drop the bytes before it.
        guard (0x40...0x7E).contains(pending[end]) else { return ([], end) }
        let parameters = String(decoding: pending[2..<end], as: UTF8.self).split(separator: ";")
        let number = parameters.first.flatMap { Int($0) } ?? 1
        if pending[end] == UInt8(ascii: "~"), number == 200 { paste = [] }
        return (Self.key(final: pending[end], number: number).map { [.key($0)] } ?? [], end + 1)
    }

    private static func key(final: UInt8, number: Int) -> Key? {
        switch (final, number) {
        case (UInt8(ascii: "A"), _): .up
        case (UInt8(ascii: "B"), _): .down
        case (UInt8(ascii: "C"), _): .right
        case (UInt8(ascii: "D"), _): .left
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): .home
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): .end
        case (UInt8(ascii: "Z"), _): .backTab
        case (UInt8(ascii: "~"), 2): .insert
        case (UInt8(ascii: "~"), 3): .delete
        case (UInt8(ascii: "~"), 5): .pageUp
        case (UInt8(ascii: "~"), 6): .pageDown
        case (UInt8(ascii: "P")...UInt8(ascii: "S"), _): .function(Int(final) - 0x4F)
        case (UInt8(ascii: "~"), 11...15): .function(number - 10)
        case (UInt8(ascii: "~"), 17...21): .function(number - 11)
        case (UInt8(ascii: "~"), 23...24): .function(number - 12)
        default: nil
        }
    }

    private mutating func restOfPaste() -> Found? {
        guard let end = pending.firstRange(of: Self.pasteEnd) else {
            // The last bytes may be the beginning of the end marker. All bytes before them belong to the pasted text.
            let safe = max(0, pending.count - Self.pasteEnd.count + 1)
            paste?.append(contentsOf: pending[..<safe])
            pending.removeFirst(safe)
            return nil
        }
        let pasted = String(decoding: (paste ?? []) + pending[..<end.lowerBound], as: UTF8.self)
        paste = nil
        // Terminals send a carriage return for a line break. “\r\n” is one Character.
        return ([.paste(String(pasted.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 }))], end.upperBound)
    }
}
