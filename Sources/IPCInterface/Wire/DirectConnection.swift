package import IPCDBus

/// Opens a direct connection to the broker for a program that is already on the bus.
package enum DirectConnection {
    /// A program other than the broker answered, or `Hello` did not return the bus name of this program.
    private struct Stranger: Error {}

    /// Asks the broker for a socket, connects to it, and calls `Hello`. From then on, the broker delivers requests over
    /// it.
    /// - Parameters:
    ///   - bus: the connection to the bus. The direct connection has the same identity and exports the same objects.
    ///   - connected: runs before the broker can make calls over the new connection.
    /// - Throws: an error if the direct connection cannot be opened. The bus connection still works.
    @DBusActor
    package static func open(
        for bus: Connection, connected: @DBusActor (Connection) -> Void = { _ in }
    ) async throws -> Connection {
        var options = ConnectOptions()
        options.deliveries = true
        let answer = try await bus.answer(to: Broker1.connect, on: Broker1.busName, at: Broker1.path, options)
        // Any program on the bus could send an answer, so check that this one comes from the broker.
        guard let sender = answer.from, try await bus.owner(of: Broker1.busName) == sender else { throw Stranger() }
        // Connect to the descriptor's path in `/proc`, because libdbus cannot take over a connected socket.
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
