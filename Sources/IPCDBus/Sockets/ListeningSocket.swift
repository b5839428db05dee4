internal import CLinux
internal import Glibc

/// The listening side of peer-to-peer connections, on the I/O thread. Only this user can authenticate.
@DBusActor
final class ListeningSocket {
    private let path: SocketPath
    private let socket: Descriptor
    private let accept: (Link) -> Void
    private let acceptsOne: Bool
    private var isClosed = false
    /// Set while the process has no descriptor for another connection.
    private let pause = DBusTimer()
    /// The id of the server, for the authentication.
    private let id: String

    private static let backlog: CInt = 128

    /// Listens at `address` (D-Bus specification, "Server addresses").
    /// - Parameter acceptsOne: whether it ends with the first connection that it accepts.
    init(
        _ address: String, acceptsOne: Bool = false, accept: @escaping @DBusActor (Link) -> Void
    ) throws(ConnectionError) {
        guard let path = SocketPath(address) else {
            throw .cannotListen(address: address, reason: "this is no address of a unix socket with a path")
        }
        (self.path, self.accept, self.acceptsOne) = (path, accept, acceptsOne)
        id = (0..<4).map { _ in
            let part = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - part.count) + part
        }.joined()
        let made = path.socket { socket, address, size in
            // Others are kept out by the file already.
            fchmod(socket, 0o600) == 0 && bind(socket, address, size) == 0
                && listen(socket, acceptsOne ? 1 : Self.backlog) == 0 ? 0 : -1
        }
        switch made {
        case .success(let socket): self.socket = socket
        case .failure(let error):
            throw .cannotListen(address: address, reason: String(cString: strerror(error.code)))
        }
        watch()
    }

    private func watch() {
        DBusActor.thread.register(socket.rawValue, events: EPOLLIN.rawValue, isNew: true) { [weak self] _ in
            self?.ready()
        }
    }

    isolated deinit { close() }

    /// Where clients connect to.
    var address: String { path.address }

    /// Accepts no more; connections that stand go on.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if !pause.isSet { DBusActor.thread.unregister(socket.rawValue) }
        pause.cancel()
        // Clients in the queue are notified at once.
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        path.remove()
    }

    private func ready() {
        let accepted = clinux_accept(socket.rawValue)
        guard accepted >= 0 else { return notAccepted(errno) }
        let peer = Descriptor(owning: accepted)
        var user: UInt32 = 0
        guard clinux_peer_user(accepted, &user) == 0 else { return }
        // Before another connection is accepted.
        if acceptsOne { close() }
        accept(
            Link(
                peer, Authentication(.server(peer: user, own: geteuid(), id: id), user: geteuid())))
    }

    /// Without a free descriptor the socket would be reported again and again.
    private func notAccepted(_ error: CInt) {
        guard [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error) else { return }
        DBusActor.thread.unregister(socket.rawValue)
        pause.set(at: .now + .seconds(1)) { [weak self] in self?.watch() }
    }
}

/// The listening side of peer-to-peer connections; every connection is served by the same objects.
@DBusActor
public final class PeerListener {
    private var socket: ListeningSocket?
    private var connections: [ObjectIdentifier: Connection] = [:]

    /// Starts to listen.
    /// - Parameters:
    ///   - address: D-Bus specification, "Server addresses", e.g. `unix:path=/run/user/1000/example` or `unix:tmpdir=/tmp`.
    ///   - objects: what peers may call.
    public init(
        _ address: String, objects: ObjectServer, accepted: @escaping @DBusActor (Connection) -> Void = { _ in }
    ) throws(ConnectionError) {
        socket = try ListeningSocket(address) { [weak self] link in
            let connection = Connection(peer: link, objects: objects)
            self?.keep(connection)
            accepted(connection)
        }
    }

    /// Where peers connect to.
    public var address: String { socket?.address ?? "" }

    /// Accepts no more; connections that stand go on.
    public func close() {
        socket?.close()
        socket = nil
    }

    private func keep(_ connection: Connection) {
        let id = ObjectIdentifier(connection)
        connections[id] = connection
        connection.onDisconnect { [weak self] in self?.connections[id] = nil }
    }
}

/// A listening socket without a name, for exactly one connection: the holder of the descriptor can connect, once, by
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

    /// Leads to the socket (`O_PATH`, open(2)); release it after it is handed over.
    public private(set) var descriptor: Descriptor?

    /// Takes ``descriptor`` away.
    public func takeDescriptor() -> Descriptor? {
        defer { descriptor = nil }
        return descriptor
    }

    /// Stops listening.
    public func close() {
        socket?.close()
        socket = nil
    }

    /// A name that no other process can guess.
    private static func freshName() -> String {
        "direct-" + String(UInt64.random(in: .min ... .max), radix: 36)
            + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
