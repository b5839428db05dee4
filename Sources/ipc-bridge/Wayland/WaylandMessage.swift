/// An argument of a request, in this machine's byte order (The Wayland Protocol, "Wire Format").
protocol WaylandArgument {
    func add(to bytes: inout [UInt8])
}

extension UInt32: WaylandArgument {
    func add(to bytes: inout [UInt8]) { withUnsafeBytes(of: self) { bytes += $0 } }
}

extension String: WaylandArgument {
    /// Appends the length, the text, a NUL, and zeros up to a multiple of 4 bytes.
    func add(to bytes: inout [UInt8]) {
        let count = utf8.count + 1
        UInt32(count).add(to: &bytes)
        bytes += Array(utf8) + [UInt8](repeating: 0, count: 1 + (4 - count % 4) % 4)
    }
}

enum WaylandRequest {
    /// Encodes a message: the object, the length, the number of the request, and the arguments.
    static func message(to object: UInt32, _ opcode: UInt16, _ arguments: [any WaylandArgument]) -> [UInt8] {
        var (header, body) = ([UInt8](), [UInt8]())
        for argument in arguments { argument.add(to: &body) }
        object.add(to: &header)
        (UInt32(body.count + 8) << 16 | UInt32(opcode)).add(to: &header)
        return header + body
    }
}

/// An event: its object, its number, and its arguments, which are read one after the other.
struct WaylandEvent {
    let object: UInt32
    let opcode: UInt16
    private var rest: ArraySlice<UInt8>

    /// Removes the first event from the bytes; `nil` if it is incomplete.
    init?(from bytes: inout ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        let second = Self.word(bytes.dropFirst(4))
        let count = Int(second >> 16)
        guard count >= 8, bytes.count >= count else { return nil }
        (object, opcode) = (Self.word(bytes), UInt16(truncatingIfNeeded: second))
        rest = bytes.prefix(count).dropFirst(8)
        bytes = bytes.dropFirst(count)
    }

    /// Reads a number, an object, or the ID of a new object; returns 0 if no argument is left.
    mutating func number() -> UInt32 {
        guard rest.count >= 4 else { return 0 }
        defer { rest = rest.dropFirst(4) }
        return Self.word(rest)
    }

    mutating func text() -> String {
        let count = Int(number())
        defer { rest = rest.dropFirst((count + 3) / 4 * 4) }
        return String(decoding: rest.prefix(max(0, count - 1)), as: UTF8.self)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
}
