internal import Glibc
internal import IPCDBus
internal import IPCInterface
internal import IPCModel

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
    /// - Parameter store: the folder of the new broker's store.
    /// - Throws: ``Broker/End/otherStore(served:own:)`` if the old broker has another store, whose claims would be lost;
    ///   ``Broker/End/notReplaced(_:)`` if the old broker keeps the name or stays on the bus; ``Broker/End/replaced`` if
    ///   another broker has taken the name since; `CallError`.
    static func takeOver(_ connection: Connection, store: String) async throws {
        let former = try await connection.owner(of: Broker1.busName)
        if let former, let served = await self.store(of: former, connection), !isSame(served, store) {
            throw Broker.End.otherStore(served: served, own: store)
        }
        guard try await connection.requestName(Broker1.busName, flags: [flags, .replaceExisting]).isOwner else {
            throw Broker.End.notReplaced("it does not give up its name")
        }
        guard let former else { return }
        do throws(CallError) { try await connection.waitForDeparture(of: former, timeout: patience) } catch .timedOut {
            throw Broker.End.notReplaced("it is still on the bus after \(patience.components.seconds) s")
        }
        // Several brokers may have waited for the same one: only the last of them goes on.
        guard try await connection.owner(of: Broker1.busName) == connection.uniqueName else {
            throw Broker.End.replaced
        }
    }

    /// The folder of the store of a running broker; `nil` if it does not answer, so that a broker that hangs is replaced.
    private static func store(of broker: BusName, _ connection: Connection) async -> String? {
        let state = try? await connection.call(
            Broker1.describe, on: broker, at: Broker1.path, NoOptions(), timeout: answerTime)
        return state.flatMap { try? JSONValue(parsing: $0) }?["store"]?["path"]?.string
    }

    /// How long a running broker may take to describe itself.
    private static let answerTime = Duration.seconds(2)

    /// Whether two paths lead to the same folder.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return one == other }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
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
