internal import IPCDBus
private import IPCInterface

/// A connection to the session bus that is begun before it is known what for: it comes about while the process still
/// reads its command line, on the other thread. For a process that makes one connection.
package final class EarlyConnection: Sendable {
    private let opening = DBusActor.task {
        try await Connection.open(.session, reconnects: true, timeout: EarlyConnection.usualTime)
    }
    /// How long the bus has where nothing else is said: as long as a receiver.
    private static let usualTime = Duration.seconds(20)
    @DBusActor private var isTaken = false

    /// Begins to connect.
    package init() {}

    /// Waits for the connection, for its first caller.
    /// - Parameter time: how long at most; `nil` for as long as a connection may take.
    /// - Returns: `nil` if the connection was taken, or was lost since.
    /// - Throws: why there is none.
    @DBusActor
    func take(within time: Duration?) async throws(IPCError) -> Connection? {
        guard !isTaken else { return nil }
        isTaken = true
        let result = if let time { await result(within: time) } else { await opening.result }
        do {
            let connection = try result.get()
            return connection.isConnected ? connection : nil
        } catch let error as ConnectionError {
            throw IPCError(error, bus: .session)
        } catch {
            throw IPCError(.storeUnavailable, "\(error)")
        }
    }

    @DBusActor
    private func result(within time: Duration) async -> Result<Connection, any Error> {
        let result = await LimitedWait.result(until: .now + time) { end in
            DBusActor.task { [opening] in end(await opening.result) }
        }
        return result ?? .failure(ConnectionError.timedOut(address: "DBUS_SESSION_BUS_ADDRESS"))
    }
}

extension Application {
    /// Makes the tables of ``open(_:sending:on:options:)``, for a program that waits for its connection meanwhile.
    package nonisolated static func prepareToOpen() {
        withExtendedLifetime((OpenURLOptions.keys, OpenURLResult.keys)) {}
    }

    /// Connects over what was begun; without schemes, and what is cut off by a restart is not sent again.
    /// - Parameter time: how long that may take; `nil` for the usual time.
    @DBusActor
    package static func connect(
        id: String, over early: EarlyConnection, within time: Duration? = nil
    ) async throws(IPCError) -> Application {
        guard let connection = try await early.take(within: time) else {
            return try await connect(id: id, resends: false)
        }
        let id = try checked { () throws(ApplicationID.Invalid) in try ApplicationID(id) }
        return Application(id: id, link: .of(connection), resends: false)
    }
}
