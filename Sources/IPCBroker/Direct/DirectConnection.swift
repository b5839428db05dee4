internal import IPCDBus
internal import IPCModel

/// A direct connection of a caller. It exists from the call to `Connect`, even before the peer connects.
@DBusActor
final class DirectConnection {
    enum State {
        /// No peer has connected and authenticated yet.
        case awaited
        case standing
        /// Earlier messages to the caller may still be on the old route.
        case switching
        /// Deliveries to the caller use this connection.
        case delivering
        case ended
    }

    let caller: BusName
    let wantsDeliveries: Bool
    var state = State.awaited
    private(set) var peer: Connection?
    private var listener: OneTimeListener?
    private let timer = DBusTimer()
    private let charge: DescriptorCharge
    private let ended: @DBusActor (DirectConnection) -> Void

    init(
        of caller: BusName, wantsDeliveries: Bool, charge: DescriptorCharge,
        ended: @escaping @DBusActor (DirectConnection) -> Void
    ) {
        (self.caller, self.wantsDeliveries, self.charge, self.ended) = (caller, wantsDeliveries, charge, ended)
    }

    /// Starts listening for the peer.
    /// - Parameters:
    ///   - time: how long the peer may take to connect and authenticate.
    ///   - accepted: runs with the connection before anything is read from it.
    /// - Returns: a descriptor through which the peer can reach the socket.
    func listen(
        in directory: Descriptor, objects: ObjectServer, for time: Duration,
        accepted: @escaping @DBusActor (Connection) -> Void
    ) throws(ConnectionError) -> Descriptor {
        let listener = try OneTimeListener(in: directory, objects: objects) { [weak self] peer in
            guard let self, self.state == .awaited else { return peer.close() }
            self.peer = peer
            self.listener = nil
            peer.onDisconnect { [weak self] in self?.end() }
            accepted(peer)
        }
        guard let descriptor = listener.takeDescriptor() else {
            throw .cannotListen(address: "", reason: "the socket has no descriptor")
        }
        self.listener = listener
        timer.set(at: .now + time) { [weak self] in
            if self?.peer?.isAuthenticated != true { self?.end() }
        }
        return descriptor
    }

    /// Closes the connection. Calls that are in progress on it fail.
    func end() {
        guard state != .ended else { return }
        state = .ended
        timer.cancel()
        listener?.close()
        listener = nil
        peer?.close()
        charge.release()
        ended(self)
    }
}
