internal import Glibc

/// The address of a unix socket (D-Bus specification, "Server addresses").
struct SocketPath: Sendable {
    /// A path, or a NUL byte and the name of an abstract socket (unix(7)). The bytes need not be UTF-8.
    let bytes: [UInt8]

    /// The maximum number of bytes in a socket address (unix(7)), not counting the NUL.
    private static let longest = 107

    /// - Parameter address: `unix:path=…`, `unix:abstract=…`, or `unix:tmpdir=…`, a directory for a new server socket.
    init?(_ address: ServerAddress) {
        guard address.transport == "unix" else { return nil }
        if let path = address["path"], !path.isEmpty {
            bytes = path
        } else if let name = address["abstract"], !name.isEmpty {
            bytes = [0] + name
        } else if let directory = address["tmpdir"], !directory.isEmpty {
            bytes = directory + Array("/dbus-\(String(UInt64.random(in: .min ... .max), radix: 36))".utf8)
        } else {
            return nil
        }
    }

    init?(_ address: String) {
        guard let address = ServerAddress(address.utf8) else { return nil }
        self.init(address)
    }

    var address: String {
        isAbstract
            ? "unix:abstract=\(ServerAddress.escaped(bytes.dropFirst()))" : "unix:path=\(ServerAddress.escaped(bytes))"
    }

    private var isAbstract: Bool { bytes.first == 0 }

    func remove() {
        guard !isAbstract else { return }
        var path = bytes.map(CChar.init(bitPattern:))
        path.append(0)
        unlink(path)
    }

    /// Creates a socket, and passes it and its address to bind(2) or connect(2).
    /// - Parameter wait: how long connect(2) may wait for room in the server's queue.
    func socket(
        wait: Duration = .zero, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> Result<Descriptor, SystemError> {
        guard bytes.count <= Self.longest else {
            errno = ENAMETOOLONG
            return .failure(SystemError("bind"))
        }
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (wait > .zero ? 0 : SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, CInt(kind), 0)
        guard descriptor >= 0 else { return .failure(SystemError("socket")) }
        let owned = Descriptor(owning: descriptor)
        if wait > .zero { Self.limitWait(descriptor, to: wait) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The name of an abstract socket extends to the end of the address.
                use(descriptor, $0, socklen_t(2 + bytes.count + (isAbstract ? 0 : 1)))
            }
        }
        guard status == 0 else { return .failure(SystemError("connect")) }
        return .success(owned)
    }

    /// Limits how long connect(2) waits. On a unix socket, the time limit for writes applies to connecting, too
    /// (socket(7)).
    private static func limitWait(_ descriptor: CInt, to wait: Duration) {
        let parts = wait.components
        var time = timeval(
            tv_sec: Int(parts.seconds), tv_usec: Int(max(1, parts.attoseconds / 1_000_000_000_000)))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
}
