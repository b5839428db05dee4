internal import IPCDBus
private import IPCInterface

/// A connection to the session bus that is opened while another thread still reads the command line, for processes that
/// make only one connection.
package final class EarlyConnection: Sendable {
    private let opening = DBusActor.task {
        try await Connection.open(.session, reconnects: true, timeout: OpenOptions.defaultTimeout)
    }
    @DBusActor private var isTaken = false

    package init() {}

    /// Builds the key tables for the messages of ``Application/open(_:sending:on:options:)`` while the connection is
    /// being opened.
    package static func prepareToOpen() {
        withExtendedLifetime((OpenURLOptions.keys, OpenURLResult.keys)) {}
    }

    /// Creates an application without schemes. The first application uses this connection; later ones open their own.
    /// After a restart of the broker, an application repeats calls that only read; it repeats other calls only if they
    /// have an id from the caller.
    /// - Parameters:
    ///   - time: how long the bus may take to answer; `nil` for the default.
    ///   - deadline: when all calls to the broker end; `nil` if each call has its own time-out.
    @DBusActor
    package func application(
        id: ApplicationID, within time: Duration? = nil, until deadline: ContinuousClock.Instant? = nil
    ) async throws(IPCError) -> Application {
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
        let link = BrokerLink(connection, broker: Broker1.busName, bus: .session, resends: false, deadline: deadline)
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
