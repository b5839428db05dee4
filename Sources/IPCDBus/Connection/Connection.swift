/// A connection to a message bus, or to one peer.
///
/// If asked to, it reconnects with back-off after a disconnect, and restores exports, names and subscriptions.
/// Unanswered calls fail with ``CallError/disconnected``, because only the caller knows whether they may be repeated.
/// New calls wait for the reconnect within their own timeout.
@DBusActor
public final class Connection {
    private enum State {
        case connected(Link)
        case reconnecting
        case closed
    }

    /// The name assigned by the bus; `nil` on a peer-to-peer connection and while disconnected.
    public private(set) var uniqueName: BusName?
    private let address: BusAddress?
    private let reconnects: Bool
    /// The time limit for connecting, authenticating and calling `Hello`.
    private let openingTime: Duration
    /// Whether descriptors can be sent and received. They cannot over TCP, or if the server does not agree.
    public private(set) var passesDescriptors = true
    private var state = State.reconnecting
    let incoming: IncomingCalls
    private let outgoing: CallTable
    let signals = SignalRouter()
    let names = NameRegistry()
    private let observers = ConnectionObservers()

    private init(address: BusAddress?, reconnects: Bool, openingTime: Duration, objects: ObjectServer) {
        (self.address, self.reconnects, self.openingTime) = (address, reconnects, openingTime)
        incoming = IncomingCalls(objects)
        outgoing = CallTable(names: address == nil ? nil : names)
    }

    isolated deinit { close() }

    /// Connects to a bus.
    /// - Parameters:
    ///   - reconnects: whether to reconnect after the bus disconnects. The first attempt to connect is never repeated.
    ///   - timeout: the time limit for each attempt to connect, which includes the answer to `Hello`.
    /// - Throws: ``ConnectionError``; ``ConnectionError/timedOut(address:)`` if there is a bus but it does not answer.
    public static func open(
        _ address: BusAddress, reconnects: Bool = false, objects: ObjectServer? = nil,
        timeout: Duration = .seconds(25)
    ) async throws(ConnectionError) -> Connection {
        let connection = Connection(
            address: address.inCurrentTask, reconnects: reconnects, openingTime: timeout,
            objects: objects ?? ObjectServer())
        _ = try await connection.connect()
        return connection
    }

    /// Connects to one peer, without a bus.
    /// - Parameter address: D-Bus specification, "Server addresses"; in a list, the first address that answers is used.
    public static func openPeer(
        _ address: String, objects: ObjectServer? = nil, timeout: Duration = .seconds(25)
    ) async throws(ConnectionError) -> Connection {
        try await ServerAddress.first(of: BusAddress.address(address).resolve(), within: timeout) {
            (address, deadline) throws(ConnectionError) in
            Connection(peer: try await Link.open(address, until: deadline), objects: objects ?? ObjectServer())
        }
    }

    convenience init(peer link: Link, objects: ObjectServer) {
        self.init(address: nil, reconnects: false, openingTime: .zero, objects: objects)
        adopt(link)
        // A listener does not wait for the authentication. Until it is over, assume that descriptors can be passed.
        passesDescriptors = !link.isAuthenticated || link.passesDescriptors
        state = .connected(link)
    }

    // MARK: Life

    private func connect() async throws(ConnectionError) -> NameRegistry.Restored {
        let addresses = try (address ?? .session).resolve()
        let (link, restored) = try await ServerAddress.first(of: addresses, within: openingTime) {
            (address, deadline) throws(ConnectionError) in
            let link = try await Link.open(address, until: deadline)
            adopt(link)
            return (link, try await greet(link, address, until: deadline))
        }
        if case .closed = state {
            link.close()
            return restored
        }
        // The bus may have disconnected after its last answer.
        guard link.isOpen else {
            uniqueName = nil
            throw .refused(reason: "the bus closed the connection")
        }
        passesDescriptors = link.passesDescriptors
        state = .connected(link)
        observers.resumeWaiting()
        return restored
    }

    private func adopt(_ link: Link) {
        link.isAwaited = { [outgoing] in outgoing.awaits($0) }
        link.receive = { [weak self, weak link] message in
            if let self, let link { self.receive(message, from: link) }
        }
        link.ended = { [weak self, weak link] in if let self, let link { self.lost(link) } }
        link.undeliverable = { [weak self] in self?.undeliverable($0) }
        link.hasRead = { [weak self] in self?.incoming.peerHasRead() }
    }

    private func greet(
        _ link: Link, _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) -> NameRegistry.Restored {
        do throws(CallError) {
            uniqueName = BusName(trusted: try await call(MessageBus.hello, (), over: link, until: deadline))
            for rule in signals.rules { try await call(MessageBus.addMatch, rule, over: link, until: deadline) }
            return try await names.restore { name, flags throws(CallError) in
                try await call(MessageBus.requestName, (name, flags), over: link, until: deadline)
            } owner: { name throws(CallError) in
                try await MessageBus.owner { () throws(CallError) in
                    try await call(MessageBus.getNameOwner, name.text, over: link, until: deadline)
                }
            }
        } catch {
            uniqueName = nil
            link.close()
            throw error == .timedOut ? .timedOut(address: address.text) : .refused(reason: "\(error)")
        }
    }

    /// Calls a method of the bus over a new link, before other calls can use the link.
    private func call<Input, Output>(
        _ method: Method<Input, Output>, _ input: Input, over link: Link, until deadline: ContinuousClock.Instant
    ) async throws(CallError) -> Output {
        let message = try method.call(on: .bus, at: MessageBus.path, input)
        return try method.output.values(of: try await outgoing.reply(to: message, over: link, until: deadline))
    }

    /// Closes the connection for good. Unanswered calls fail with ``CallError/disconnected``.
    public func close() {
        link?.close()
        state = .closed
        uniqueName = nil
        outgoing.failAll(.disconnected)
        incoming.peerLeft()
        observers.ended()
    }

    /// Waits until all queued bytes have left the process, then closes the connection.
    public func closeAfterFlush() async {
        await link?.flushed()
        close()
    }

    /// Does the same as ``closeAfterFlush()`` within a time limit, because the other side may have stopped reading.
    package func closeAfterFlush(within patience: Duration) async {
        let timer = DBusTimer()
        timer.set(at: .now + patience) { [weak self] in self?.close() }
        await closeAfterFlush()
        timer.cancel()
    }

    /// Waits until the connection is closed for good.
    public func ended() async {
        await withCheckedContinuation { continuation in _ = onEnd { continuation.resume() } }
    }

    /// Runs an action once the connection is closed for good; immediately if it already is.
    /// - Returns: a number for ``forgetEndHandler(_:)``.
    func onEnd(_ action: @escaping @DBusActor () -> Void) -> UInt64 {
        guard case .closed = state else { return observers.onEnd(action) }
        action()
        return 0
    }

    func forgetEndHandler(_ number: UInt64) { observers.forget(number) }

    /// Runs an action after each reconnect.
    public func onReconnect(_ action: @escaping @DBusActor () -> Void) { observers.onReturn(action) }

    /// Runs an action each time the connection is lost.
    public func onDisconnect(_ action: @escaping @DBusActor () -> Void) { observers.onLoss(action) }

    /// Runs an action for each name that another connection has taken over during a reconnect.
    /// ``requestName(_:flags:)`` can request the name again.
    public func onNameLost(_ action: @escaping @DBusActor (BusName) -> Void) { names.lostHandlers.append(action) }

    public var isConnected: Bool { link != nil }

    /// Whether this is the connection's unique name, or a well-known name that it owns.
    func isKnown(as name: BusName) -> Bool { name == uniqueName || names.owned[name] != nil }

    /// The objects that the other side may call.
    public var objects: ObjectServer { incoming.objects }

    /// Whether an incoming call has not been answered, even one that is deferred until its caller reads earlier answers,
    /// or until earlier calls have ended.
    package var hasUnansweredCalls: Bool {
        incoming.unanswered > 0 || objects.turns.waitingCount > 0
    }

    /// Whether the other side is a peer and not a bus. The sender of a peer's message is not attested.
    var isPeer: Bool { address == nil }

    var link: Link? { if case .connected(let link) = state { link } else { nil } }

    /// Closes the connection as if the other side had disconnected.
    public func drop() { if let link { lost(link) } }

    /// The number of bytes waiting in this process because the other side does not read.
    public var bytesWaiting: Int { link?.bytesWaiting ?? 0 }

    private func lost(_ link: Link) {
        // If the link is not in use yet, it was lost before the bus answered `Hello`.
        guard link === self.link else { return outgoing.failAll(.disconnected) }
        link.close()
        uniqueName = nil
        state = reconnects ? .reconnecting : .closed
        outgoing.failAll(.disconnected)
        names.lost()
        observers.lost()
        if reconnects { Task { [weak self] in await self?.reconnect() } } else { close() }
    }

    private func reconnect() async {
        var pause = Duration.milliseconds(20)
        while case .reconnecting = state {
            do throws(ConnectionError) {
                names.announce(try await connect())
                return observers.returned()
            } catch {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(2))
            }
        }
    }

    // MARK: Messages

    private func receive(_ message: Message, from link: Link) {
        message.bounds = objects.bounds
        switch message.kind {
        case .methodReturn, .error: outgoing.receive(message)
        case .methodCall: incoming.receive(message, from: link, on: self)
        case .signal: if message.defect == nil { signals.route(message, owners: names) }
        case nil: return
        }
    }

    private func undeliverable(_ message: Message) -> Message? {
        switch message.kind {
        case .methodReturn: return try? Message.error(inPlaceOf: message, objects.refuse(.noDescriptors))
        case .methodCall:
            outgoing.failSoon(message.serial, .unsendable(.descriptorUnavailable))
            return nil
        case .error, .signal, nil: return nil
        }
    }

    /// Defers the calls of a caller that does not read its answers, so that the bus need not store more answers.
    /// - Parameter isPresent: whether a caller is on the bus; answers to a caller that has left do not count.
    public func boundUnreadAnswers(isPresent: @escaping @DBusActor (BusName) -> Bool) {
        incoming.boundUnreadAnswers(on: self, isPresent: isPresent)
    }

    /// Limits the total bytes in the arguments of unfinished calls until the connection closes.
    /// - Parameter messageBytes: the size limit of an incoming message. The arguments of a longer message are dropped.
    public func bound(_ arriving: ArrivingBytes, messageBytes: Int) {
        link?.arriving = arriving
        link?.limitMessages(bytes: messageBytes)
    }

    /// Forgets a caller that has left the bus, and drops its deferred calls.
    public func callerLeft(_ caller: BusName) { incoming.callerLeft(caller) }

    /// Calls a method and waits for its answer.
    /// - Parameters:
    ///   - destination: the receiver; `nil` on a peer-to-peer connection.
    ///   - timeout: counted from now; cancelling the task stops the wait immediately.
    ///   - startsService: whether the bus may start the program that owns the name.
    public func call<Input, Output>(
        _ method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        timeout: Duration = .seconds(25), startsService: Bool = true
    ) async throws(CallError) -> Output {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let link = try await openLink(until: deadline)
        let message = try method.call(on: destination, at: path, input, startsService: startsService)
        return try method.output.values(of: try await outgoing.reply(to: message, over: link, until: deadline))
    }

    /// Calls a method. Returns the answer and its sender, attested by the bus, because any process may answer a call.
    public func answer<Input, Output>(
        to method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        timeout: Duration = .seconds(25)
    ) async throws(CallError) -> (output: Output, from: BusName?) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let link = try await openLink(until: deadline)
        let message = try method.call(on: destination, at: path, input)
        let answer = try await outgoing.reply(to: message, over: link, until: deadline)
        return (try method.output.values(of: answer), answer.sender)
    }

    /// Calls a method of a running program, without a timeout. The closure receives the answer, or an error if this
    /// connection or the receiver's connection is lost.
    ///
    /// When this returns, the message has been sent or is in the socket's queue. If it cannot be sent, the closure
    /// receives the error before this returns.
    public func call<Input, Output>(
        _ method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        then completed: @escaping @DBusActor (Result<Output, CallError>) -> Void
    ) {
        do throws(CallError) {
            guard let link else { throw .disconnected }
            let message = try method.call(on: destination, at: path, input, startsService: false)
            try outgoing.send(message, over: link) { [output = method.output] result in
                completed(Result { () throws(CallError) in try output.values(of: try result.get()) })
            }
        } catch { completed(.failure(error)) }
    }

    private func openLink(until deadline: ContinuousClock.Instant) async throws(CallError) -> Link {
        while true {
            switch state {
            case .connected(let link): return link
            case .closed: throw .disconnected
            case .reconnecting:
                guard ContinuousClock.now < deadline else { throw .disconnected }
                await observers.wait(until: deadline) { if case .reconnecting = state { true } else { false } }
                if Task.isCancelled { throw .cancelled }
            }
        }
    }
}
