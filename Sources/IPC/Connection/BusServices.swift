package import IPCDBus
package import IPCDesktop
internal import IPCInterface

/// The services of the bus: which names have an owner, and which ones the bus can start.
@DBusActor
package struct BusServices {
    private let link: BrokerLink

    init(_ link: BrokerLink) { self.link = link }

    /// Waits until a broker runs, and starts none. Without a bus the peer is the broker.
    /// - Parameter time: the longest wait.
    /// - Returns: whether one runs.
    package func waitForBroker(atMost time: Duration) async -> Bool {
        guard let broker = link.broker else { return true }
        return (try? await link.connection.waitForName(broker, timeout: time)) != nil
    }

    /// Whether a broker runs now; none is started. Without a bus the peer is the broker.
    package func hasBroker() async -> Bool {
        guard let broker = link.broker else { return true }
        return (try? await link.connection.owner(of: broker)) ?? nil != nil
    }

    /// Makes the bus read its service files again if one of them has changed.
    package func reload(after changes: [FileChange]) async throws(IPCError) {
        guard changes.contains(where: { $0.path.contains("/\(ServiceFile.folder)/") }) else { return }
        try await link.onBus { (bus) throws(CallError) in
            try await bus.call(MessageBus.reloadConfig, on: .bus, at: MessageBus.path, ())
        }
    }

    /// Whether the bus can start the owner of a name.
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
