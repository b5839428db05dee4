internal import IPCDBus

extension Application {
    /// Is told each time that the bus is lost, which is waited for.
    package func onBusLost(_ body: @escaping @Sendable () -> Void) { receiver.absence?.began = body }

    /// Waits until there is a broker; nobody is started. Without a bus the peer is the broker.
    /// - Parameter time: how long at most.
    /// - Returns: whether there is one.
    package func waitForBroker(atMost time: Duration) async -> Bool {
        guard let broker = link.broker else { return true }
        return (try? await link.connection.waitForName(broker, timeout: time)) != nil
    }

    /// Whether there is a broker now; nobody is started. Without a bus the peer is the broker.
    package func hasBroker() async -> Bool {
        guard let broker = link.broker else { return true }
        return (try? await link.connection.owner(of: broker)) ?? nil != nil
    }
}
