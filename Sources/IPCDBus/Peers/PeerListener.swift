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
