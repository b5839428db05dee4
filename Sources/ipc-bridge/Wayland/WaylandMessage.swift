/// The arguments of a request, in the byte order of this machine (The Wayland Protocol, "Wire Format").
struct WaylandRequest {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: UInt32) { withUnsafeBytes(of: number) { bytes += $0 } }

    /// A text with its length, a NUL, and zeros up to the next word.
    mutating func add(_ text: String) {
        let count = text.utf8.count + 1
        add(UInt32(count))
        bytes += Array(text.utf8)
        bytes += [UInt8](repeating: 0, count: 1 + (4 - count % 4) % 4)
    }

    /// The whole message: object, length and number of the request, arguments.
    func message(to object: UInt32, _ opcode: UInt16) -> [UInt8] {
        var header = WaylandRequest()
        header.add(object)
        header.add(UInt32(bytes.count + 8) << 16 | UInt32(opcode))
        return header.bytes + bytes
    }
}

/// An argument of a request.
protocol WaylandArgument {
    func add(to request: inout WaylandRequest)
}

extension UInt32: WaylandArgument {
    func add(to request: inout WaylandRequest) { request.add(self) }
}

extension String: WaylandArgument {
    func add(to request: inout WaylandRequest) { request.add(self) }
}

/// An event of an object: its number and its arguments, of which the next one is taken each time.
struct WaylandEvent {
    let object: UInt32
    let opcode: UInt16
    private var rest: ArraySlice<UInt8>

    /// Takes the first message of what has come; nil where it is not there in full.
    init?(from bytes: inout ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        let second = Self.word(bytes.dropFirst(4))
        let count = Int(second >> 16)
        guard count >= 8, bytes.count >= count else { return nil }
        (object, opcode) = (Self.word(bytes), UInt16(truncatingIfNeeded: second))
        rest = bytes.prefix(count).dropFirst(8)
        bytes = bytes.dropFirst(count)
    }

    /// A number, an object, or the id of a new one; 0 where there is none left.
    mutating func number() -> UInt32 {
        guard rest.count >= 4 else { return 0 }
        defer { rest = rest.dropFirst(4) }
        return Self.word(rest)
    }

    /// A text without its NUL.
    mutating func text() -> String {
        let count = Int(number())
        defer { rest = rest.dropFirst((count + 3) / 4 * 4) }
        return String(decoding: rest.prefix(max(0, count - 1)), as: UTF8.self)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
}
