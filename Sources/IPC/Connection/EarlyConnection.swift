internal import IPCDBus
private import IPCInterface

/// A connection to the session bus that begins before its use is known, while the process still reads its command line on
/// the other thread. For a process that makes one connection.
package final class EarlyConnection: Sendable {
    private let opening = DBusActor.task {
        try await Connection.open(.session, reconnects: true, timeout: EarlyConnection.usualTime)
    }
    /// The default time-out of the bus: as long as that of a receiver.
    private static let usualTime = OpenOptions.defaultTimeout
    @DBusActor private var isTaken = false

    /// Begins to connect.
    package init() {}

    /// Builds the tables of ``Application/open(_:sending:on:options:)`` while the program waits for its connection.
    package static func prepareToOpen() {
        withExtendedLifetime((OpenURLOptions.keys, OpenURLResult.keys)) {}
    }

    /// The application over this connection, for the first caller: without schemes, and it sends no call twice.
    /// - Parameter time: the longest wait; `nil` for the usual time.
    @DBusActor
    package func application(id: String, within time: Duration? = nil) async throws(IPCError) -> Application {
        guard let connection = try await take(within: time) else {
            return try await Application.connect(id: id, resends: false)
        }
        let link = BrokerLink(connection, broker: Broker1.busName, bus: .session, resends: false)
        return Application(id: try ApplicationID(checking: id), link: link)
    }

    /// - Returns: `nil` if another caller has the connection, or if it was lost.
    @DBusActor
    private func take(within time: Duration?) async throws(IPCError) -> Connection? {
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
