package import IPCDBus

/// Opens a direct connection to the broker for a connection of the bus.
package enum DirectConnection {
    /// The reason why there is none; the connection of the bus still works.
    package enum Refusal: Error {
        case call(CallError)
        case connection(ConnectionError)
        /// Another program than the broker answered, or the broker gave the connection of another caller.
        case stranger
    }

    /// Asks the broker for a socket, connects to it, and says `Hello`.
    /// - Parameters:
    ///   - bus: keeps its identity over the new connection, and its objects are there too.
    ///   - deliveries: whether requests for a handler come over it from now on.
    ///   - connected: runs before the broker may call anything over it.
    @DBusActor
    package static func open(
        for bus: Connection, deliveries: Bool, connected: @DBusActor (Connection) -> Void = { _ in }
    ) async throws(Refusal) -> Connection {
        let socket = try await socket(for: bus, deliveries: deliveries)
        let connection: Connection
        do throws(ConnectionError) {
            // By the address of the descriptor, because libdbus cannot take over a connected socket.
            connection = try await Connection.openPeer(
                "unix:path=/proc/self/fd/\(socket.rawValue)", objects: bus.objects)
        } catch { throw .connection(error) }
        withExtendedLifetime(socket) {}
        connected(connection)
        do throws(CallError) {
            let name = try await connection.call(MessageBus.hello, on: nil, at: MessageBus.path, ())
            if name == bus.uniqueName?.text { return connection }
        } catch {
            connection.close()
            throw .call(error)
        }
        connection.close()
        throw .stranger
    }

    /// The socket, if the owner of the broker's name gave it: any program of the bus can try to answer.
    @DBusActor
    private static func socket(for bus: Connection, deliveries: Bool) async throws(Refusal) -> Descriptor {
        var options = ConnectOptions()
        if deliveries { options.deliveries = true }
        do throws(CallError) {
            let answer = try await bus.answer(to: Broker1.connect, on: Broker1.busName, at: Broker1.path, options)
            if let sender = answer.from, try await bus.owner(of: Broker1.busName) == sender { return answer.output }
        } catch { throw .call(error) }
        throw .stranger
    }
}
