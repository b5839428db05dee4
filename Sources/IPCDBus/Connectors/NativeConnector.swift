internal import Glibc

/// Opens connections to unix sockets with the mechanism `EXTERNAL` and without libdbus, as usual for a local bus.
@DBusActor
enum NativeConnector {
    /// Connects, and authenticates this process.
    /// - Returns: the link; `nil` if the server rejects `EXTERNAL` but accepts other mechanisms.
    static func open(
        _ path: SocketPath, _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) -> Link? {
        let socket = try await connect(path, address, until: deadline)
        let link = Link(socket, Authentication(.client(server: address.serverID), user: geteuid()))
        let state = await link.authentication(until: deadline)
        defer { if state != .finished { link.close() } }
        switch state {
        case .finished: return link
        case .speaking: throw .timedOut(address: address.text)
        case .rejected(let mechanisms) where mechanisms.contains { $0 != "EXTERNAL" }: return nil
        case .rejected: throw .refused(reason: "the server rejects this user")
        case .failed(let reason):
            throw .refused(reason: "the conversation before the first message failed: \(reason)")
        }
    }

    private static func connect(
        _ path: SocketPath, _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) -> Descriptor {
        var opened = path.socket { Glibc.connect($0, $1, $2) }
        if case .failure(let error) = opened, error.code == EAGAIN {
            // The server's queue is full. Another thread can block in connect(2) until there is room.
            opened = await Background.run {
                path.socket(wait: max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))) {
                    Glibc.connect($0, $1, $2)
                }
            }
        }
        switch opened {
        case .success(let socket):
            _ = fcntl(socket.rawValue, F_SETFL, O_NONBLOCK)
            return socket
        case .failure(let error) where error.code == EAGAIN: throw .timedOut(address: address.text)
        case .failure(let error):
            throw .cannotConnect(address: address.text, reason: String(cString: strerror(error.code)))
        }
    }
}
