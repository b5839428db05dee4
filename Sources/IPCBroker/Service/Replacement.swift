internal import IPCDBus
internal import IPCInterface

/// One broker takes the place of another on the same bus (`--replace`). The new broker takes the bus name at once, and
/// keeps the calls that arrive. The old one stores everything and leaves the bus. Then the new one opens the store.
@DBusActor
enum Replacement {
    /// Every broker lets another one take its name. Only the user's own programs are on a session bus.
    static let flags: NameRequestFlags = [.doNotQueue, .allowReplacement]

    /// How long the old broker may take to leave. It needs up to 2 s.
    private static let patience = Duration.seconds(10)

    /// Takes the broker's name from its owner, if it has one, and waits until that broker has left the bus. It leaves
    /// after it has closed its store.
    /// - Throws: ``Broker/End/notReplaced`` if the old broker keeps the name or stays on the bus; `CallError`.
    static func takeOver(_ connection: Connection) async throws {
        let former = try await connection.owner(of: Broker1.busName)
        guard try await connection.requestName(Broker1.busName, flags: [flags, .replaceExisting]).isOwner else {
            throw Broker.End.notReplaced("it does not give up its name")
        }
        guard let former else { return }
        do throws(CallError) { try await connection.waitForDeparture(of: former, timeout: patience) } catch .timedOut {
            throw Broker.End.notReplaced("it is still on the bus after \(patience.components.seconds) s")
        }
    }

    /// Follows the broker's name, which this connection owns.
    /// - Parameter lost: runs when another broker has taken the name.
    static func watch(
        _ connection: Connection, lost: @escaping @DBusActor () -> Void
    ) async throws(CallError) -> NameWatch {
        try await connection.watchName(Broker1.busName) { [weak connection] _, owner in
            if owner != nil, owner != connection?.uniqueName { lost() }
        }
    }
}
