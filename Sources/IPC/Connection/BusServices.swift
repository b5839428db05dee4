package import IPCDBus
package import IPCDesktop
internal import IPCInterface

/// The names on the bus, and the services that it can start. On a peer-to-peer connection, the peer is the broker.
@DBusActor
package struct BusServices {
    private let link: BrokerLink

    init(_ link: BrokerLink) { self.link = link }

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
