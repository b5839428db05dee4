internal import Glibc
internal import IPCDBus
internal import IPCInterface
internal import IPCModel

/// The direct connections of all callers, and the route (direct or over the bus) that messages to each caller take.
@DBusActor
final class DirectConnections {
    private let bus: Connection
    private let clients: BusClients
    private let descriptors: DescriptorBudget
    private let directory: RuntimeDirectory
    private let limits: Limits
    private let bounds: PeerBounds
    private var ofCaller: [BusName: [DirectConnection]] = [:]
    /// The number of direct connections, including those that no peer has connected to yet.
    private(set) var count = 0
    private var isEnding = false
    private let quiet = Waiters()

    /// Runs when the route to a connection on the bus is about to change, and again when it has changed.
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

    /// Answers `Connect`. Any process that holds the returned descriptor can connect, and then acts as the caller.
    func connect(_ options: ConnectOptions, _ call: IncomingCall) throws -> Descriptor {
        guard let caller = call.sender, !isEnding, !clients.hasDeparted(caller) else {
            throw IPCError(.storeUnavailable, "the broker is stopping, or the caller has disconnected")
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
            throw IPCError(.storeUnavailable, "\(error); keep using the bus connection")
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

    /// Starts to use a connection whose peer is ready. Messages on the old route must arrive before those on the new
    /// one. So the new route is used only after the answer to a last message on the old route.
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
        if count == 0 { quiet.resumeAll() }
    }

    /// Reads a caller's last messages on its direct connections, so that they take effect before its departure does.
    func callerLeaves(_ caller: BusName) { for connection in ofCaller[caller] ?? [] { connection.peer?.takeInRest() } }

    func callerLeft(_ caller: BusName) { for connection in ofCaller[caller] ?? [] { connection.end() } }

    struct Route {
        let connection: Connection
        let destination: BusName?
        var isDirect: Bool { destination == nil }
    }

    /// The route for deliveries to a connection: its newest direct connection that takes deliveries, or else the bus.
    func route(to owner: BusName) -> Route {
        let direct = ofCaller[owner]?.last { $0.state == .delivering && $0.peer?.isConnected == true }
        guard let peer = direct?.peer else { return Route(connection: bus, destination: owner) }
        return Route(connection: peer, destination: nil)
    }

    /// Whether deliveries must wait, because earlier messages may still be on the old route; see ``routeChanged``.
    func isSwitching(_ owner: BusName) -> Bool { ofCaller[owner]?.contains { $0.state == .switching } ?? false }

    /// Closes all connections once their outgoing messages are sent, and waits for this at most `patience`.
    func finish(within patience: Duration) async {
        isEnding = true
        for connection in ofCaller.values.flatMap({ $0 }) {
            DBusActor.task {
                await connection.peer?.closeAfterFlush()
                connection.end()
            }
        }
        let timer = DBusTimer()
        timer.set(at: .now + patience) { [quiet] in quiet.resumeAll() }
        await quiet.wait { count > 0 }
        timer.cancel()
    }
}

/// The directory in which the socket of a direct connection briefly has a name. Only this user may access it.
struct RuntimeDirectory: Sendable {
    let path: String

    /// Chooses `swift-ipc` in `XDG_RUNTIME_DIR` (XDG Base Directory Specification), or else the store's folder.
    init(store: String, environment: [String: String]) {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            path = runtime + "/swift-ipc"
        } else {
            path = store
        }
    }

    /// Opens the directory, and creates it if it is missing.
    /// - Throws: `storeUnavailable` if it cannot be created or made private, is a link, or belongs to another user.
    func open() throws(IPCError) -> Descriptor {
        // Only the last path component is created, because the parent directory belongs to the session.
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw refusal(String(cString: strerror(errno))) }
        let opened = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw refusal(String(cString: strerror(errno))) }
        let directory = Descriptor(owning: opened)
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_uid == geteuid() else {
            throw refusal("it belongs to another user")
        }
        if status.st_mode & 0o077 != 0, fchmod(opened, 0o700) != 0 { throw refusal("other users can enter it") }
        return directory
    }

    private func refusal(_ reason: String) -> IPCError {
        IPCError(
            .storeUnavailable,
            "the folder for sockets of direct connections, \(path.quoted), cannot be used: \(reason); keep using the bus "
                + "connection")
    }
}
