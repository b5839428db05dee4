/// A connection to a message bus, or to one peer.
///
/// It outlives the bus if asked to: after a disconnect it connects again with back-off, and what was exported, owned
/// and subscribed is there again. Calls that were on their way then fail with ``CallError/disconnected``, because
/// only the caller knows whether they may be repeated; new ones wait for the bus within their own time-out.
@DBusActor
public final class Connection {
    private enum State {
        case connected(Link)
        case reconnecting
        case closed
    }

    /// What is exported here.
    public let objects: ObjectServer
    /// The name that the bus gave; absent peer to peer and while disconnected.
    public private(set) var uniqueName: BusName?
    /// Of a peer: the name on a bus for which it stands; see ``stand(for:on:greeted:)``.
    var standIn: StandIn?
    /// Whether the peer has said `Hello`.
    var hasGreeted = false
    /// Calls that have come and wait for their answers.
    var unansweredCalls = 0
    /// One more is answered at once, with an error.
    var mostCalls = Int.max
    /// The answers that the bus may still hold; `nil` where they are not bounded.
    private(set) var unread: UnreadAnswers?
    private let address: BusAddress?
    private let reconnects: Bool
    /// How long it may take to connect, to authenticate and to say `Hello`.
    private let openingTime: Duration
    /// Whether descriptors can be sent and received: not over TCP, and not if the server does not agree.
    public private(set) var passesDescriptors = true
    private var state = State.reconnecting
    private let calls = CallTable()
    let signals = SignalRouter()
    let names = NameRegistry()
    private var readiness: [CheckedContinuation<Void, Never>] = []
    private var endHandlers: [UInt64: @DBusActor () -> Void] = [:]
    private var lastEndHandler: UInt64 = 0
    private var reconnectHandlers: [@DBusActor () -> Void] = []
    private var disconnectHandlers: [@DBusActor () -> Void] = []

    private init(address: BusAddress?, reconnects: Bool, openingTime: Duration, objects: ObjectServer) {
        self.address = address
        self.reconnects = reconnects
        self.openingTime = openingTime
        self.objects = objects
    }

    isolated deinit { close() }

    /// Connects to a bus.
    /// - Parameters:
    ///   - reconnects: whether to connect again when the bus goes; the first connect is tried once either way.
    ///   - timeout: for each try to connect, until the bus has answered `Hello`.
    /// - Throws: ``ConnectionError/timedOut(address:)`` if a bus is there and does not answer.
    public static func open(
        _ address: BusAddress, reconnects: Bool = false, objects: ObjectServer? = nil,
        timeout: Duration = .seconds(25)
    ) async throws(ConnectionError) -> Connection {
        let connection = Connection(
            address: address, reconnects: reconnects, openingTime: timeout, objects: objects ?? ObjectServer())
        try await connection.connect()
        return connection
    }

    /// Connects to one peer, without a bus between.
    /// - Parameter address: D-Bus specification, "Server addresses"; of several the first that answers.
    public static func openPeer(
        _ address: String, objects: ObjectServer? = nil, timeout: Duration = .seconds(25)
    ) async throws(ConnectionError) -> Connection {
        try await ServerAddress.first(of: BusAddress.address(address).resolve(), within: timeout) {
            (address, deadline) throws(ConnectionError) in
            Connection(peer: try await Link.open(address, until: deadline), objects: objects ?? ObjectServer())
        }
    }

    /// A connection that a listener has accepted.
    convenience init(peer link: Link, objects: ObjectServer) {
        self.init(address: nil, reconnects: false, openingTime: .zero, objects: objects)
        adopt(link)
        // Of a link that a listener has accepted this is not known yet.
        passesDescriptors = !link.isAuthenticated || link.passesDescriptors
        state = .connected(link)
    }

    // MARK: Life

    private func connect() async throws(ConnectionError) {
        let addresses = try (address ?? .session).resolve()
        let link = try await ServerAddress.first(of: addresses, within: openingTime) {
            (address, deadline) throws(ConnectionError) in
            let link = try await Link.open(address, until: deadline)
            adopt(link)
            try await greet(link, address, until: deadline)
            return link
        }
        if case .closed = state { return link.close() }
        // The bus may have left behind its last answer.
        guard link.isOpen else {
            uniqueName = nil
            throw .refused(reason: "the bus ended the connection")
        }
        passesDescriptors = link.passesDescriptors
        state = .connected(link)
        for waiting in readiness { waiting.resume() }
        readiness = []
    }

    private func adopt(_ link: Link) {
        link.isAwaited = { [calls] in calls.awaits($0) }
        link.receive = { [weak self, weak link] message in
            guard let self, let link else { return }
            self.receive(message, from: link)
        }
        link.ended = { [weak self, weak link] in
            guard let self, let link else { return }
            self.lost(link)
        }
        link.undeliverable = { [weak self] in self?.undeliverable($0) }
    }

    /// `Hello`, then everything that the bus must know of this connection.
    private func greet(
        _ link: Link, _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) {
        do throws(CallError) {
            let name = try await callBus(MessageBus.hello, (), over: link, until: deadline)
            uniqueName = BusName(trusted: name)
            for rule in signals.rules {
                try await callBus(MessageBus.addMatch, rule, over: link, until: deadline)
            }
            try await names.restore { name, flags throws(CallError) in
                try await callBus(MessageBus.requestName, (name, flags), over: link, until: deadline)
            } owner: { name throws(CallError) in
                try await owner(of: name, over: link, until: deadline)
            }
        } catch {
            uniqueName = nil
            link.close()
            throw error == .timedOut ? .timedOut(address: address.text) : .refused(reason: "\(error)")
        }
    }

    /// Ends the connection for good. Calls on their way fail with ``CallError/disconnected``.
    public func close() {
        if case .connected(let link) = state { link.close() }
        state = .closed
        uniqueName = nil
        calls.failAll(.disconnected)
        for waiting in readiness { waiting.resume() }
        readiness = []
        let atEnd = endHandlers.values
        endHandlers = [:]
        for action in atEnd { action() }
    }

    /// Waits until what was sent has left the process, then ends the connection.
    public func closeAfterFlush() async {
        if case .connected(let link) = state { await link.flushed() }
        close()
    }

    /// The same, but no longer than so: the other side may have stopped reading.
    package func closeAfterFlush(within patience: Duration) async {
        let timer = DBusActor.thread.schedule(at: .now + patience) { [weak self] in
            DBusActor.assumeIsolated { self?.close() }
        }
        await closeAfterFlush()
        DBusActor.thread.cancel(timer)
    }

    /// Returns when the connection has ended for good.
    public func ended() async {
        await withCheckedContinuation { continuation in _ = onEnd { continuation.resume() } }
    }

    /// Runs once when the connection has ended for good, at once if it has.
    /// - Returns: a number by which it is forgotten.
    func onEnd(_ action: @escaping @DBusActor () -> Void) -> UInt64 {
        lastEndHandler += 1
        if case .closed = state { action() } else { endHandlers[lastEndHandler] = action }
        return lastEndHandler
    }

    func forgetEndHandler(_ number: UInt64) { endHandlers[number] = nil }

    /// Runs each time that the connection stands again after a loss.
    public func onReconnect(_ action: @escaping @DBusActor () -> Void) { reconnectHandlers.append(action) }

    /// Runs each time that the connection is lost.
    public func onDisconnect(_ action: @escaping @DBusActor () -> Void) { disconnectHandlers.append(action) }

    /// Runs for each name that this connection owned before a loss and that belongs to somebody else when it stands
    /// again. It is not asked for again; ``requestName(_:flags:)`` does that.
    public func onNameLost(_ action: @escaping @DBusActor (BusName) -> Void) { names.lostHandlers.append(action) }

    public var isConnected: Bool { if case .connected = state { true } else { false } }

    /// Whether a name leads here.
    func isKnown(as name: BusName) -> Bool { name == uniqueName || names.owned[name] != nil }

    /// Whether there is no bus between, so that nobody attests who sent a message.
    var isPeer: Bool { address == nil }

    /// The link, for bounds on what passes over it.
    var link: Link? { if case .connected(let link) = state { link } else { nil } }

    /// Ends the connection as if the other side had ended it.
    public func drop() { if case .connected(let link) = state { lost(link) } }

    /// Bytes that wait in this process because the other side does not read.
    public var bytesWaiting: Int { if case .connected(let link) = state { link.bytesWaiting } else { 0 } }

    private func lost(_ link: Link) {
        guard case .connected(let current) = state, current === link else {
            // It ended before it was greeted.
            return calls.failAll(.disconnected)
        }
        link.close()
        uniqueName = nil
        state = reconnects ? .reconnecting : .closed
        calls.failAll(.disconnected)
        names.lost()
        for handler in disconnectHandlers { handler() }
        if reconnects { Task { [weak self] in await self?.reconnect() } } else { close() }
    }

    private func reconnect() async {
        var pause = Duration.milliseconds(20)
        while case .reconnecting = state {
            do throws(ConnectionError) {
                try await connect()
                names.announce()
                for handler in reconnectHandlers { handler() }
                return
            } catch {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(2))
            }
        }
    }

    // MARK: Messages

    private func receive(_ message: Message, from link: Link) {
        message.bounds = objects.bounds
        if let defect = message.defect { return receive(message, defect, from: link) }
        switch message.kind {
        case .methodReturn where mayAnswer(message): calls.complete(message.replySerial, with: .success(message))
        case .error where mayAnswer(message):
            calls.complete(
                message.replySerial,
                with: .failure(.remote(name: message.errorName ?? "", message: message.errorText)))
        case .methodCall: receiveCall(message, from: link)
        case .signal: signals.route(message, owners: names)
        case .methodReturn, .error, nil: return
        }
    }

    private func receiveCall(_ message: Message, from link: Link) {
        if let unread, let sender = message.sender {
            do throws(CallRefusal) { if try unread.holds(message, of: sender) { return } } catch {
                return IncomingCall(message, path: message.path ?? "/", link: link, connection: self)
                    .fail(objects.refuse(error))
            }
        }
        begin(message, from: link)
    }

    private func begin(_ message: Message, from link: Link) {
        guard let call = call(message, from: link) else { return }
        if standIn?.answers(call, on: self) == true { return }
        objects.handle(call)
    }

    /// From now on a caller that does not read its answers gets no more of them, and its calls wait; otherwise the bus would
    /// hold them.
    /// - Parameter isPresent: whether a caller is on the bus; an answer to one that has left counts nowhere.
    public func boundUnreadAnswers(isPresent: @escaping @DBusActor (BusName) -> Bool) {
        unread = UnreadAnswers(self, isPresent: isPresent) { [weak self] message in
            guard let self, let link = self.link else { return }
            self.begin(message, from: link)
        }
    }

    /// Bounds the arguments of calls under way from now on, as long as the connection stands.
    /// - Parameter messageBytes: of one message that comes in; of a longer one the arguments are not kept.
    public func bound(_ arriving: ArrivingBytes, messageBytes: Int) {
        link?.arriving = arriving
        link?.limitMessages(bytes: messageBytes)
    }

    /// Forgets a caller that has left the bus, with its calls that wait.
    public func callerLeft(_ caller: BusName) { unread?.left(caller) }

    /// - Returns: nothing where too many calls wait for their answers, and this one has its own.
    private func call(_ message: Message, from link: Link) -> IncomingCall? {
        guard let path = message.path else { return nil }
        let call = IncomingCall(message, path: path, link: link, connection: self)
        guard unansweredCalls <= mostCalls else {
            call.fail(objects.refuse(.tooManyCalls(mostCalls)))
            return nil
        }
        return call
    }

    /// A message with a defect is refused, if it is a call whose sender is known; it ends the call that it answers.
    private func receive(_ message: Message, _ defect: MessageDefect, from link: Link) {
        switch message.kind {
        case .methodCall:
            guard message.serial != 0, isPeer || message.sender != nil else { return }
            let call = IncomingCall(message, path: message.path ?? "/", link: link, connection: self)
            call.fail(objects.refuse(defect))
        case .methodReturn where mayAnswer(message), .error where mayAnswer(message):
            calls.complete(message.replySerial, with: .failure(.badReply(defect.error)))
        case .methodReturn, .error, .signal, nil: return
        }
    }

    /// Ends what a message was to do whose descriptors cannot leave.
    private func undeliverable(_ message: Message) -> Message? {
        switch message.kind {
        case .methodReturn: return try? Message.error(inPlaceOf: message, objects.refuse(.noDescriptors))
        case .methodCall:
            let serial = message.serial
            // Not now: the caller may expect the answer only after the message is sent.
            DBusActor.thread.soon { [weak self] in
                DBusActor.assumeIsolated {
                    self?.calls.complete(serial, with: .failure(.unsendable(.descriptorUnavailable)))
                }
            }
            return nil
        case .error, .signal, nil: return nil
        }
    }

    /// Whether an answer comes from whom the call went to. A session bus lets anybody answer anything (`session.conf`), and
    /// serials can be guessed: what a stranger answers is left aside, and the call goes on waiting.
    ///
    /// The bus itself tells that there is nobody, or that he has left. Who owns a well-known name is known here only if
    /// somebody follows it (``NameRegistry``); ``answer(to:on:at:_:timeout:)`` tells who it was.
    private func mayAnswer(_ message: Message) -> Bool {
        guard !isPeer, let responder = calls.responder(of: message.replySerial) else { return true }
        guard let sender = message.sender else { return false }
        if sender == responder || message.kind == .error && sender == .bus { return true }
        if responder == .bus || responder.isUnique { return false }
        return names.owner(of: responder).map { $0 == sender } ?? true
    }

    /// Calls a method and waits for its answer.
    /// - Parameters:
    ///   - destination: who answers; `nil` peer to peer.
    ///   - timeout: from now; a cancelled task ends the wait at once.
    ///   - startsService: whether the bus may start the program that owns the name.
    public func call<Input, Output>(
        _ method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        timeout: Duration = .seconds(25), startsService: Bool = true
    ) async throws(CallError) -> Output {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let link = try await standing(until: deadline)
        return try await call(
            method, on: destination, at: path, input, over: link, timeout: ContinuousClock.now.duration(to: deadline),
            startsService: startsService)
    }

    /// Calls a method, and tells who answered as well: the bus attests it, and any process of the bus may try to answer.
    public func answer<Input, Output>(
        to method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        timeout: Duration = .seconds(25)
    ) async throws(CallError) -> (output: Output, from: BusName?) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let link = try await standing(until: deadline)
        let message = try message(calling: method, on: destination, at: path, input, startsService: true)
        let answer = try await reply(
            to: message, over: link, timeout: ContinuousClock.now.duration(to: deadline)
        ).get()
        return (try Self.read(method.output, from: answer), answer.sender)
    }

    /// Calls a method of a program that runs, and hands its answer to a closure on this actor, however long it takes:
    /// it ends with an answer, with the receiver's connection, or with this one.
    ///
    /// The message has left, or is in the socket's queue, when this returns; what cannot be sent is told by the closure,
    /// which then runs before this returns.
    public func call<Input, Output>(
        _ method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        then completed: @escaping @DBusActor (Result<Output, CallError>) -> Void
    ) {
        do throws(CallError) {
            guard case .connected(let link) = state else { throw .disconnected }
            let message = try message(calling: method, on: destination, at: path, input, startsService: false)
            let serial = link.send(message)
            guard serial != 0 else { throw Self.unsent(message, by: link) }
            calls.expect(serial, from: destination) { [output = method.output] result in
                completed(Result { () throws(CallError) in try Self.read(output, from: try result.get()) })
            }
        } catch { completed(.failure(error)) }
    }

    private func call<Input, Output>(
        _ method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        over link: Link, timeout: Duration = .seconds(25), startsService: Bool = true
    ) async throws(CallError) -> Output {
        let message = try message(calling: method, on: destination, at: path, input, startsService: startsService)
        return try Self.read(method.output, from: try await reply(to: message, over: link, timeout: timeout).get())
    }

    private func reply(to message: Message, over link: Link, timeout: Duration) async -> Result<Message, CallError> {
        guard !Task.isCancelled else { return .failure(.cancelled) }
        let serial = link.send(message)
        guard serial != 0 else { return .failure(Self.unsent(message, by: link)) }
        let reply = calls.expect(serial, from: message.destination, timeout: timeout)
        return await withTaskCancellationHandler {
            await reply.value()
        } onCancel: {
            Task { @DBusActor [weak self] in self?.calls.complete(serial, with: .failure(.cancelled)) }
        }
    }

    /// Why a link did not send a call.
    private static func unsent(_ message: Message, by link: Link) -> CallError {
        guard link.isOpen else { return .disconnected }
        return .unsendable(link.carries(message) ? .descriptorUnavailable : .descriptorsNotPassed)
    }

    /// The link, after a reconnect if one is under way.
    private func standing(until deadline: ContinuousClock.Instant) async throws(CallError) -> Link {
        while true {
            switch state {
            case .connected(let link): return link
            case .closed: throw .disconnected
            case .reconnecting:
                guard ContinuousClock.now < deadline else { throw .disconnected }
                let timer = DBusActor.thread.schedule(at: deadline) { [weak self] in
                    DBusActor.assumeIsolated { self?.wakeWaiting() }
                }
                await withCheckedContinuation { continuation in
                    // The way here may have been a suspension of its own.
                    if case .reconnecting = state { readiness.append(continuation) } else { continuation.resume() }
                }
                DBusActor.thread.cancel(timer)
                if Task.isCancelled { throw .cancelled }
            }
        }
    }

    private func wakeWaiting() {
        let waiting = readiness
        readiness = []
        for continuation in waiting { continuation.resume() }
    }

    /// Calls a method of the bus over a link that is not in use yet.
    private func callBus<Input, Output>(
        _ method: Method<Input, Output>, _ input: Input, over link: Link, until deadline: ContinuousClock.Instant
    ) async throws(CallError) -> Output {
        try await call(
            method, on: .bus, at: MessageBus.path, input, over: link,
            timeout: ContinuousClock.now.duration(to: deadline))
    }

    private func owner(
        of name: BusName, over link: Link, until deadline: ContinuousClock.Instant
    ) async throws(CallError) -> BusName? {
        do throws(CallError) {
            return BusName(trusted: try await callBus(MessageBus.getNameOwner, name.text, over: link, until: deadline))
        } catch {
            if error.isRemote(.nameHasNoOwner) { return nil }
            throw error
        }
    }
}
