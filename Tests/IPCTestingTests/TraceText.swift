/// Writes traces in strace's notation, for the tests of the code that reads them.
struct TraceText {
    private(set) var text = ""
    private var line = 0

    static let log = "/var/store.sqlite-wal"

    mutating func send(_ bytes: [UInt8]) {
        add(
            "sendmsg(3<UNIX-STREAM:[1->2]>, {msg_iov=[{iov_base=\(quoted(bytes)), iov_len=\(bytes.count)}], "
                + "msg_iovlen=1}, 0) = \(bytes.count)")
    }

    mutating func receive(_ bytes: [UInt8], shown: Int = .max) {
        let cut = shown < bytes.count ? "..." : ""
        add(
            "recvmsg(3<UNIX-STREAM:[1->2]>, {msg_iov=[{iov_base=\(quoted(bytes.prefix(shown)))\(cut), "
                + "iov_len=65536}], msg_iovlen=1}, 0) = \(bytes.count)")
    }

    mutating func write(_ content: String, to path: String = log, by thread: Int = 11) {
        add("pwrite64(5<\(path)>, \(quoted(content.utf8)), \(content.utf8.count), 0) = \(content.utf8.count)", thread)
    }

    mutating func flush(_ path: String = log, by thread: Int = 11, result: String = "0") {
        add("fdatasync(5<\(path)>) = \(result)", thread)
    }

    /// Adds only the start of a flush, as strace writes it if another thread comes in between; ``endFlush()`` adds the
    /// end.
    mutating func beginFlush(by thread: Int = 11) { add("fdatasync(5<\(Self.log)> <unfinished ...>", thread) }

    mutating func endFlush(by thread: Int = 11) { add("<... fdatasync resumed>) = 0", thread) }

    mutating func add(_ call: String, _ thread: Int = 10) {
        line += 1
        text += "\(thread) 1795264290.\(100_000 + line) \(call)\n"
    }

    private func quoted(_ bytes: some Sequence<UInt8>) -> String {
        "\"" + bytes.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }
}

/// Writes D-Bus messages in little-endian byte order.
enum Wire {
    static func call(serial: UInt32, member: String, sender: String, body: [UInt8] = []) -> [UInt8] {
        message(1, serial, [field(1, "o", "/a"), field(3, "s", member), field(7, "s", sender)], body)
    }

    static func reply(serial: UInt32, to call: UInt32, destination: String) -> [UInt8] {
        message(2, serial, [field(5, call), field(6, "s", destination), field(8, "t")], [9, 0, 0, 0, 0, 0, 0, 0])
    }

    static func signal(serial: UInt32) -> [UInt8] {
        message(4, serial, [field(1, "o", "/a"), field(2, "s", "a.b"), field(3, "s", "Changed")], [])
    }

    private static func message(_ kind: UInt8, _ serial: UInt32, _ fields: [[UInt8]], _ body: [UInt8]) -> [UInt8] {
        var array: [UInt8] = []
        for field in fields { array = padded(array) + field }
        let start = [0x6c, kind, 0, 1] + number(UInt32(body.count)) + number(serial)
        return padded(start + number(UInt32(array.count)) + array) + body
    }

    private static func field(_ code: UInt8, _ type: Character, _ text: String) -> [UInt8] {
        [code, 1, type.asciiValue!, 0] + number(UInt32(text.utf8.count)) + text.utf8 + [0]
    }

    private static func field(_ code: UInt8, _ value: UInt32) -> [UInt8] { [code, 1, 0x75, 0] + number(value) }

    private static func field(_ code: UInt8, _ signature: String) -> [UInt8] {
        [code, 1, 0x67, 0, UInt8(signature.utf8.count)] + signature.utf8 + [0]
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
    }
}
