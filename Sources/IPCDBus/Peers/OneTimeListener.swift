internal import CLinux
internal import Glibc

/// A listening socket without a name, for exactly one connection: who has the descriptor can connect, once, by
/// `unix:path=/proc/self/fd/N`.
@DBusActor
public final class OneTimeListener {
    private var socket: ListeningSocket?

    /// Listens.
    /// - Parameters:
    ///   - directory: a directory of this user alone, in which the socket has a name for a moment.
    ///   - objects: what the peer may call.
    ///   - accepted: runs with the connection, which is not authenticated yet.
    public init(
        in directory: Descriptor, objects: ObjectServer, accepted: @escaping @DBusActor (Connection) -> Void
    ) throws(ConnectionError) {
        // By the descriptor of the directory, because the address of a socket holds 107 bytes (unix(7)).
        let path = "/proc/self/fd/\(directory.rawValue)/\(Self.freshName())"
        socket = try ListeningSocket("unix:path=\(path)", acceptsOne: true) { [weak self] link in
            self?.socket = nil
            accepted(Connection(peer: link, objects: objects))
        }
        let opened = clinux_open_path(path)
        let error = errno
        unlink(path)
        guard opened >= 0 else {
            socket = nil
            throw .cannotListen(address: path, reason: String(cString: strerror(error)))
        }
        descriptor = Descriptor(owning: opened)
    }

    /// Leads to the socket (`O_PATH`, open(2)); let it go when it is handed over.
    public private(set) var descriptor: Descriptor?

    /// Takes ``descriptor`` away.
    public func takeDescriptor() -> Descriptor? {
        defer { descriptor = nil }
        return descriptor
    }

    /// Accepts nobody any more.
    public func close() {
        socket?.close()
        socket = nil
    }

    /// Nobody can know it before.
    private static func freshName() -> String {
        "direct-" + String(UInt64.random(in: .min ... .max), radix: 36)
            + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
