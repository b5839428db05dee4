internal import IPCDBus
internal import IPCModel

/// A direct connection, from the call of `Connect` to its end.
@DBusActor
final class DirectConnection {
    enum State {
        /// Nobody has connected yet, or who has did not prove who it is.
        case awaited
        case standing
        /// What was sent to the caller before, by another way, is still on that way.
        case switching
        /// What is delivered to the caller goes over it.
        case delivering
        case ended
    }

    let caller: BusName
    /// Whether the caller wants its deliveries here.
    let wantsDeliveries: Bool
    var state = State.awaited
    private(set) var peer: Connection?
    private var listener: OneTimeListener?
    private let timer = DBusTimer()
    private let charge: DescriptorCharge
    /// Runs once.
    private let ended: @DBusActor (DirectConnection) -> Void

    init(
        of caller: BusName, wantsDeliveries: Bool, charge: DescriptorCharge,
        ended: @escaping @DBusActor (DirectConnection) -> Void
    ) {
        (self.caller, self.wantsDeliveries, self.charge, self.ended) = (caller, wantsDeliveries, charge, ended)
    }

    /// Begins to listen.
    /// - Parameters:
    ///   - time: for connecting and proving who it is.
    ///   - accepted: runs with the connection before anything is read from it.
    /// - Returns: what leads to the socket.
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

    /// Ends it; calls on their way over it fail.
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
