internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// The direct connections of all callers, and by which way a connection of the bus is reached.
@DBusActor
final class DirectConnections {
    private let bus: Connection
    private let clients: BusClients
    private let descriptors: DescriptorBudget
    private let directory: RuntimeDirectory
    private let limits: Limits
    private let bounds: PeerBounds
    private var ofCaller: [BusName: [DirectConnection]] = [:]
    /// How many there are, those included that nobody uses yet.
    private(set) var count = 0
    private var isEnding = false
    private var quiet: [CheckedContinuation<Void, Never>] = []

    /// The route to a connection of the bus begins to change, or has changed.
    var routeChanged: @DBusActor (BusName) -> Void = { _ in }

    init(
        bus: Connection, clients: BusClients, descriptors: DescriptorBudget, directory: RuntimeDirectory,
        limits: Limits, arriving: ArrivingBytes
    ) {
        (self.bus, self.clients, self.descriptors) = (bus, clients, descriptors)
        (self.directory, self.limits) = (directory, limits)
        bounds = PeerBounds(
            messageBytes: limits.longestMessage,
            descriptorsPerMessage: Int(limits.descriptorsPerMessage), calls: Int(clamping: limits.directCalls),
            outgoingBytes: Int(clamping: limits.directBytes), incomingBytes: Int(clamping: limits.directIncomingBytes),
            descriptors: Int(clamping: limits.directDescriptors), arriving: arriving)
    }

    // MARK: Connecting

    /// Answers `Connect`. Who has the descriptor can connect, and stands for the caller.
    func connect(_ options: ConnectOptions, _ call: IncomingCall) throws -> Descriptor {
        guard let caller = call.sender, !isEnding, !clients.hasDeparted(caller) else {
            throw IPCError(.storeUnavailable, "the broker is about to end, or the caller has left")
        }
        try limits.check(\.directConnections, use: UInt64(count), request: 1)
        try limits.check(\.directConnectionsPerCaller, use: UInt64(ofCaller[caller]?.count ?? 0), request: 1)
        let connection = DirectConnection(
            of: caller, wantsDeliveries: options.deliveries ?? false, charge: try descriptors.chargeConnection()
        ) { [weak self] in self?.ended($0) }
        let time = Duration.milliseconds(Int(limits.directMilliseconds))
        let descriptor: Descriptor
        do {
            descriptor = try connection.listen(in: try directory.open(), objects: bus.objects, for: time) {
                [weak self, weak connection] peer in
                guard let self, let connection else { return }
                self.accepted(peer, connection)
            }
        } catch let error as ConnectionError {
            throw IPCError(.storeUnavailable, "\(error); stay on the bus")
        }
        ofCaller[caller, default: []].append(connection)
        count += 1
        return descriptor
    }

    private func accepted(_ peer: Connection, _ connection: DirectConnection) {
        bounds.add(peer)
        peer.stand(for: connection.caller, on: bus) { [weak self, weak connection] in
            guard let self, let connection else { return }
            self.greeted(connection)
        }
    }

    /// The peer is ready. What was sent to it by the way so far arrives before what comes by the new one: the answer to
    /// a last message on the old way shows that it has.
    private func greeted(_ connection: DirectConnection) {
        guard connection.state == .awaited else { return }
        connection.state = .standing
        guard connection.wantsDeliveries else { return }
        let former = route(to: connection.caller)
        connection.state = .switching
        routeChanged(connection.caller)
        former.connection.call(Peer.ping, on: former.destination, at: "/", ()) { [weak self] _ in
            guard connection.state == .switching else { return }
            connection.state = .delivering
            self?.routeChanged(connection.caller)
        }
    }

    private func ended(_ connection: DirectConnection) {
        let caller = connection.caller
        ofCaller[caller]?.removeAll { $0 === connection }
        if ofCaller[caller]?.isEmpty == true { ofCaller[caller] = nil }
        count -= 1
        routeChanged(caller)
        if count == 0 { wakeQuiet() }
    }

    /// A connection of the bus is about to be taken as gone. What it has said before over a direct connection counts, as
    /// what it has said on the bus does: that has come before its end.
    func callerLeaves(_ caller: BusName) { for connection in ofCaller[caller] ?? [] { connection.peer?.takeInRest() } }

    /// A connection of the bus is gone, and what stands for it.
    func callerLeft(_ caller: BusName) { for connection in ofCaller[caller] ?? [] { connection.end() } }

    // MARK: Routes

    /// A way to a program.
    struct Route {
        let connection: Connection
        /// Whom to name as the receiver.
        let destination: BusName?
        var isDirect: Bool { destination == nil }
    }

    /// By which way what is delivered goes to a connection of the bus: the newest that was opened for it, else the bus.
    func route(to owner: BusName) -> Route {
        let direct = ofCaller[owner]?.last { $0.state == .delivering && $0.peer?.isConnected == true }
        guard let peer = direct?.peer else { return Route(connection: bus, destination: owner) }
        return Route(connection: peer, destination: nil)
    }

    /// Whether nothing may be sent to it now, because what was sent before is on another way; ``routeChanged`` tells when.
    func isSwitching(_ owner: BusName) -> Bool { ofCaller[owner]?.contains { $0.state == .switching } ?? false }

    // MARK: End

    /// Ends all, when what was sent is out; who does not read has so long.
    func finish(within patience: Duration) async {
        isEnding = true
        for connection in ofCaller.values.flatMap({ $0 }) {
            DBusActor.task {
                await connection.peer?.closeAfterFlush()
                connection.end()
            }
        }
        guard count > 0 else { return }
        let timer = DBusTimer()
        timer.set(at: .now + patience) { [weak self] in self?.wakeQuiet() }
        await withCheckedContinuation { quiet.append($0) }
        timer.cancel()
    }

    private func wakeQuiet() {
        let waiting = quiet
        quiet = []
        for continuation in waiting { continuation.resume() }
    }
}
