package import IPCDBus
package import IPCDesktop
internal import IPCInterface
internal import IPCModel

/// The names on the bus, and the services that it can start. On a peer-to-peer connection, the peer is the broker.
@DBusActor
package struct BusServices {
    private let link: BrokerLink

    init(_ link: BrokerLink) { self.link = link }

    package var isConnected: Bool { link.connection.isConnected }

    /// Waits until a broker is running, without starting one.
    /// - Returns: `false` if the time runs out.
    package func waitForBroker(atMost time: Duration) async -> Bool {
        guard let broker = link.broker else { return true }
        return (try? await link.connection.waitForName(broker, timeout: time)) != nil
    }

    /// Whether a broker is running. This does not start one.
    package func hasBroker() async -> Bool {
        guard let broker = link.broker else { return true }
        return (try? await link.connection.owner(of: broker)) ?? nil != nil
    }

    /// Makes the bus reload its service files if one of them has changed.
    package func reload(after changes: [FileChange]) async throws(IPCError) {
        guard changes.contains(where: { $0.path.contains("/\(ServiceFile.folder)/") }) else { return }
        try await link.onBus { (bus) throws(CallError) in
            try await bus.call(MessageBus.reloadConfig, on: .bus, at: MessageBus.path, ())
        }
    }

    /// Asks the desktop to show a message to its user. Does nothing if no program on the bus shows messages. The bus may
    /// start that program.
    package func notify(of summary: String, _ body: String, from program: String) async {
        typealias Notifications = FreedesktopNotifications
        let desktop = link.connection
        guard
            let capabilities = try? await desktop.call(
                Notifications.getCapabilities, on: Notifications.busName, at: Notifications.path, (),
                timeout: Self.notificationTimeout)
        else { return }
        // A link could otherwise bring its own markup.
        let isMarkup = capabilities.contains(Notifications.markup)
        let text = isMarkup ? body.spelling { ["&": "&amp;", "<": "&lt;"][$0] } : body
        let usualTime: Int32 = -1
        _ = try? await desktop.call(
            Notifications.notify, on: Notifications.busName, at: Notifications.path,
            ((program, 0, "dialog-error", summary), (text, [], [:], usualTime)), timeout: Self.notificationTimeout)
    }

    private static let notificationTimeout = Duration.seconds(5)

    package func isActivatable(_ name: String) async -> Bool {
        ((try? await link.connection.listActivatableNames()) ?? []).contains(name)
    }

    /// Whether a bus name has an owner, or the bus can start one.
    package func isReachable(_ name: String) async throws(IPCError) -> Bool {
        try await link.onBus { (bus) throws(CallError) in
            if try await bus.listNames().contains(name) { return true }
            return try await bus.listActivatableNames().contains(name)
        }
    }
}
