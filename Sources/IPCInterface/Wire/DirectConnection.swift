package import IPCDBus

/// Opens a direct connection to the broker for a connection of the bus.
package enum DirectConnection {
    /// Another program than the broker answered, or the broker gave the connection of another caller.
    private struct Stranger: Error {}

    /// Asks the broker for a socket, connects to it, and says `Hello`. Requests for a handler come over it from then on.
    /// - Parameters:
    ///   - bus: keeps its identity over the new connection, and its objects are there too.
    ///   - connected: runs before the broker may call anything over it.
    /// - Throws: if there is no direct connection; the connection of the bus still works.
    @DBusActor
    package static func open(
        for bus: Connection, connected: @DBusActor (Connection) -> Void = { _ in }
    ) async throws -> Connection {
        var options = ConnectOptions()
        options.deliveries = true
        let answer = try await bus.answer(to: Broker1.connect, on: Broker1.busName, at: Broker1.path, options)
        // Any program of the bus can try to answer.
        guard let sender = answer.from, try await bus.owner(of: Broker1.busName) == sender else { throw Stranger() }
        // By the address of the descriptor, because libdbus cannot take over a connected socket.
        let connection = try await Connection.openPeer(
            "unix:path=/proc/self/fd/\(answer.output.rawValue)", objects: bus.objects)
        withExtendedLifetime(answer) {}
        connected(connection)
        do {
            let name = try await connection.call(MessageBus.hello, on: nil, at: MessageBus.path, ())
            guard name == bus.uniqueName?.text else { throw Stranger() }
            return connection
        } catch {
            connection.close()
            throw error
        }
    }
}
