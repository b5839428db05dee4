internal import Glibc

/// Where a unix socket is, as D-Bus addresses name it (D-Bus specification, "Server addresses").
struct SocketPath: Sendable {
    /// A path; of an abstract socket (unix(7)) its name behind a NUL character.
    let text: String

    /// The most bytes in the address of a socket (unix(7)), its NUL excluded.
    private static let longest = 107

    /// - Parameter address: `unix:path=…`, `unix:abstract=…`, or to listen `unix:tmpdir=…`, a directory in which a name is
    ///   found.
    init?(_ address: String) {
        guard address.hasPrefix("unix:") else { return nil }
        for pair in address.dropFirst(5).split(separator: ",") {
            if pair.hasPrefix("path="), let path = Self.unescaped(pair.dropFirst(5)) {
                self.init(text: path)
                return
            }
            if pair.hasPrefix("abstract="), let name = Self.unescaped(pair.dropFirst(9)) {
                self.init(text: "\0" + name)
                return
            }
            if pair.hasPrefix("tmpdir="), let directory = Self.unescaped(pair.dropFirst(7)) {
                self.init(text: "\(directory)/dbus-\(String(UInt64.random(in: .min ... .max), radix: 36))")
                return
            }
        }
        return nil
    }

    private init(text: String) { self.text = text }

    private static func unescaped(_ value: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(value.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // A sign would be read as part of the number.
            guard rest.count >= 2, rest.first != UInt8(ascii: "+"),
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address of the socket, for whoever connects.
    var address: String {
        text.utf8.first == 0
            ? "unix:abstract=\(BusAddress.escaped(String(text.dropFirst())))" : "unix:path=\(BusAddress.escaped(text))"
    }

    /// Makes a socket and hands it, with its address, to bind(2) or connect(2).
    /// - Parameter blocks: whether that may wait.
    /// - Returns: the socket, or why there is none.
    func socket(
        blocks: Bool, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> Result<Descriptor, SystemError> {
        guard text.utf8.count <= Self.longest else {
            errno = ENAMETOOLONG
            return .failure(SystemError("bind"))
        }
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (blocks ? 0 : SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, CInt(kind), 0)
        guard descriptor >= 0 else { return .failure(SystemError("socket")) }
        let owned = Descriptor(owning: descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The name of an abstract socket ends with the address.
                use(descriptor, $0, socklen_t(2 + text.utf8.count + (text.utf8.first == 0 ? 0 : 1)))
            }
        }
        guard status == 0 else { return .failure(SystemError("connect")) }
        return .success(owned)
    }
}
