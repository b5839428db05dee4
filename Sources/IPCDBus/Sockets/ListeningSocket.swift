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
    /// While nobody is accepted, because there is no descriptor for him.
    private let pause = DBusTimer()
    /// What the conversation before the first message names the server by.
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
            DBusActor.assumeIsolated { self?.ready() }
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
        // Who waits in the queue learns it at once.
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        path.remove()
    }

    private func ready() {
        let accepted = clinux_accept(socket.rawValue)
        guard accepted >= 0 else { return notAccepted(errno) }
        let peer = Descriptor(owning: accepted)
        var user: UInt32 = 0
        guard clinux_peer_user(accepted, &user) == 0 else { return }
        // Before anybody else can be accepted.
        if acceptsOne { close() }
        accept(
            Link(
                peer, Authentication(.server(peer: user, own: geteuid(), id: id), user: geteuid())))
    }

    /// Without a free descriptor the one who waits would be told of again and again.
    private func notAccepted(_ error: CInt) {
        guard [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error) else { return }
        DBusActor.thread.unregister(socket.rawValue)
        pause.set(at: .now + .seconds(1)) { [weak self] in self?.watch() }
    }
}
