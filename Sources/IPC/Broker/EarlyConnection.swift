internal import IPCDBus
private import IPCInterface

/// A connection to the session bus that is begun before it is known what for: it comes about while the process still
/// reads its command line, on the other thread. For a process that makes one connection.
package final class EarlyConnection: Sendable {
    private let opening = DBusActor.task { try await Connection.open(.session, reconnects: true) }
    @DBusActor private var isTaken = false

    /// Begins to connect.
    package init() {}

    /// The connection, for the first one who asks; `nil` where it has failed or was lost since. Why is told by whoever
    /// connects anew.
    @DBusActor
    func take() async -> Connection? {
        guard !isTaken else { return nil }
        isTaken = true
        guard let connection = try? await opening.value, connection.isConnected else { return nil }
        return connection
    }
}

extension Application {
    /// Makes the tables of ``open(_:sending:on:options:)``, for a program that waits for its connection meanwhile.
    package nonisolated static func prepareToOpen() {
        withExtendedLifetime((OpenURLOptions.keys, OpenURLResult.keys)) {}
    }

    /// Connects over what was begun; without schemes, and what is cut off by a restart is not sent again.
    @DBusActor
    package static func connect(id: String, over early: EarlyConnection) async throws(IPCError) -> Application {
        guard let connection = await early.take() else { return try await connect(id: id, resends: false) }
        let id = try checked { () throws(ApplicationID.Invalid) in try ApplicationID(id) }
        return Application(id: id, link: .of(connection), resends: false)
    }
}
