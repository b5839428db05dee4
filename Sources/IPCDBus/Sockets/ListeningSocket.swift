internal import CLinux
internal import Glibc

/// A listening socket for peer-to-peer connections. Only processes of the same user can authenticate.
@DBusActor
final class ListeningSocket {
    private let path: SocketPath
    private let socket: Descriptor
    private let accept: (Link) -> Void
    private let acceptsOne: Bool
    private var isClosed = false
    /// Set while the process has no free descriptor for another connection.
    private let pause = DBusTimer()
    private let id: String

    private static let backlog: CInt = 128

    /// - Parameters:
    ///   - address: D-Bus specification, "Server addresses".
    ///   - acceptsOne: whether to close the socket once it has accepted a connection.
    init(
        _ address: String, acceptsOne: Bool = false, accept: @escaping @DBusActor (Link) -> Void
    ) throws(ConnectionError) {
        guard let path = SocketPath(address) else {
            throw .cannotListen(address: address, reason: "this is not the address of a Unix socket with a path")
        }
        (self.path, self.accept, self.acceptsOne) = (path, accept, acceptsOne)
        id = (0..<4).map { _ in
            let part = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - part.count) + part
        }.joined()
        let made = path.socket { socket, address, size in
            // The mode is set before bind(2), so that the socket's file never admits other users.
            fchmod(socket, 0o600) == 0 && bind(socket, address, size) == 0
                && listen(socket, acceptsOne ? 1 : Self.backlog) == 0 ? 0 : -1
        }
        do throws(SystemError) { socket = try made.get() } catch {
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

    var address: String { path.address }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if !pause.isSet { DBusActor.thread.unregister(socket.rawValue) }
        pause.cancel()
        // Disconnects the connections still waiting in the queue.
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        path.remove()
    }

    private func ready() {
        let accepted = clinux_accept(socket.rawValue)
        guard accepted >= 0 else { return notAccepted(errno) }
        let peer = Descriptor(owning: accepted)
        var user: UInt32 = 0
        guard clinux_peer_user(accepted, &user) == 0 else { return }
        // Close before the socket can accept another connection.
        if acceptsOne { close() }
        accept(Link(peer, Authentication(.server(peer: user, own: geteuid(), id: id), user: geteuid())))
    }

    /// Pauses accepting, because epoll would keep reporting the socket while the process has no free descriptor.
    private func notAccepted(_ error: CInt) {
        guard [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error) else { return }
        DBusActor.thread.unregister(socket.rawValue)
        pause.set(at: .now + .seconds(1)) { [weak self] in self?.watch() }
    }
}

/// A server for peer-to-peer connections. All connections share the same objects.
@DBusActor
public final class PeerListener {
    private var socket: ListeningSocket?
    private var connections: [ObjectIdentifier: Connection] = [:]

    /// - Parameters:
    ///   - address: D-Bus specification, "Server addresses", such as `unix:path=/run/example` or `unix:tmpdir=/tmp`.
    ///   - objects: the objects that peers may call.
    ///   - accepted: receives each connection, before it is authenticated.
    /// - Throws: ``ConnectionError/cannotListen(address:reason:)``.
    public init(
        _ address: String, objects: ObjectServer, accepted: @escaping @DBusActor (Connection) -> Void = { _ in }
    ) throws(ConnectionError) {
        socket = try ListeningSocket(address) { [weak self] link in
            let connection = Connection(peer: link, objects: objects)
            self?.keep(connection)
            accepted(connection)
        }
    }

    /// The address for peers to connect to; empty after ``close()``.
    public var address: String { socket?.address ?? "" }

    /// Stops listening. Accepted connections stay open.
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

/// A nameless listening socket for one connection. A process that has the socket's descriptor N can connect once,
/// through `unix:path=/proc/self/fd/N`.
@DBusActor
public final class OneTimeListener {
    private var socket: ListeningSocket?

    /// - Parameters:
    ///   - directory: a directory that only this user can enter. The socket briefly has a name in it.
    ///   - objects: the objects that the peer may call.
    ///   - accepted: receives the connection, before it is authenticated.
    /// - Throws: ``ConnectionError/cannotListen(address:reason:)``.
    public init(
        in directory: Descriptor, objects: ObjectServer, accepted: @escaping @DBusActor (Connection) -> Void
    ) throws(ConnectionError) {
        // The path goes through the directory's descriptor, because a socket address holds at most 107 bytes (unix(7)).
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

    /// A descriptor that identifies the socket (`O_PATH`, open(2)). Release it after passing it to the other process.
    public private(set) var descriptor: Descriptor?

    public func takeDescriptor() -> Descriptor? {
        defer { descriptor = nil }
        return descriptor
    }

    public func close() {
        socket?.close()
        socket = nil
    }

    /// Returns a name that no other process can guess.
    private static func freshName() -> String {
        "direct-" + String(UInt64.random(in: .min ... .max), radix: 36)
            + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
