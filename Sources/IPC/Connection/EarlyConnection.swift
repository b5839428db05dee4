internal import IPCDBus
private import IPCInterface

/// A connection to the session bus that opens while another thread still reads the command line. For a process that
/// makes one connection.
package final class EarlyConnection: Sendable {
    private let opening = DBusActor.task {
        try await Connection.open(.session, reconnects: true, timeout: OpenOptions.defaultTimeout)
    }
    @DBusActor private var isTaken = false

    package init() {}

    /// Builds the tables of ``Application/open(_:sending:on:options:)`` while the program waits for its connection.
    package static func prepareToOpen() {
        withExtendedLifetime((OpenURLOptions.keys, OpenURLResult.keys)) {}
    }

    /// An application without schemes. The first one uses this connection.
    ///
    /// Its changes carry no id unless the caller gives one, and are not sent again. Calls that read, and changes with
    /// an id, are sent again after a restart.
    /// - Parameter time: the longest wait; `nil` for the default time-out.
    @DBusActor
    package func application(id: ApplicationID, within time: Duration? = nil) async throws(IPCError) -> Application {
        guard !isTaken else { return try await Application.connect(id: id, resends: false) }
        isTaken = true
        let result = if let time { await result(within: time) } else { await opening.result }
        let connection: Connection
        do {
            connection = try result.get()
        } catch let error as ConnectionError {
            throw IPCError(error, bus: .session)
        } catch {
            throw IPCError(.storeUnavailable, "\(error)")
        }
        guard connection.isConnected else { return try await Application.connect(id: id, resends: false) }
        let link = BrokerLink(connection, broker: Broker1.busName, bus: .session, resends: false)
        return Application(id: id, link: link)
    }

    @DBusActor
    private func result(within time: Duration) async -> Result<Connection, any Error> {
        let result = await LimitedWait.result(until: .now + time) { end in
            DBusActor.task { [opening] in end(await opening.result) }
        }
        return result ?? .failure(ConnectionError.timedOut(address: "DBUS_SESSION_BUS_ADDRESS"))
    }
}
