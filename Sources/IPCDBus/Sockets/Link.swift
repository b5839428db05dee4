internal import CLinux
internal import Glibc

/// A socket that carries messages to a bus or to a peer, from connecting to disconnecting, on the I/O thread.
/// ``Connection`` interprets the messages. It outlives the link, and replaces it when it reconnects. All messages
/// queued in one turn of the thread are sent with one system call.
@DBusActor
final class Link {
    private let socket: Descriptor
    private var authentication: Authentication
    private var incoming = IncomingBytes()
    private var outgoing = OutgoingMessages()
    private var isClosed = false
    private var hasEnded = false
    private var isFlushDue = false
    private var awaitsRoom = false
    /// The serial number of the newest outgoing message. Tests set it.
    var lastSerial: UInt32 = 0
    private var hasWrapped = false
    /// Whether a call with this serial number is unanswered.
    var isAwaited: (UInt32) -> Bool = { _ in false }
    private let flushWaiters = Waiters()

    /// Receives every message. The link reads no messages until this is set.
    var receive: ((Message) -> Void)? {
        didSet {
            // Messages may have arrived together with the end of the authentication.
            guard isOpen, isAuthenticated, !incoming.bytes.isEmpty else { return }
            DBusActor.thread.soon { [weak self] in self?.takeIn() }
        }
    }
    /// Called once when the other side disconnects or breaks the protocol, but not after ``close()``.
    var ended: () -> Void = {}
    /// The link's shares of the limits that apply to all peers together; `nil` on a bus.
    var shares: (outgoing: LinkShares, incoming: LinkShares)?
    /// The limit for the arguments of unfinished calls; `nil` if there is none.
    var arriving: ArrivingBytes?
    /// Set while reading is paused because the link's calls hold too much memory.
    private let readingPause = DBusTimer()
    private var isReadingPaused: Bool { readingPause.isSet }
    /// The start of the current series of reading pauses, with no message admitted in between; `nil` if there is none.
    private var pausedSince: ContinuousClock.Instant?
    private var awaitsRelease = false
    /// Whether the next message is admitted regardless of its size.
    private var admitsNext = false
    /// Runs once when the authentication is over.
    var authenticated: (Authentication.State) -> Void = { _ in }
    /// Returns the message to send in place of one whose descriptors cannot be sent; `nil` to send nothing.
    var undeliverable: (Message) -> Message? = { _ in nil }
    private var descriptorPatience = DescriptorPatience()

    /// Called when the other side has read messages while calls are held (``hold(_:)``).
    var hasRead: () -> Void = {}
    /// A peer's calls that wait for their turn.
    private var held = Held()

    /// The memory and descriptors of calls that wait for their turn.
    struct Held {
        fileprivate var calls = 0
        fileprivate var bytes = 0
        fileprivate var descriptors = 0
    }

    /// If more bytes than this are waiting for a peer with limits, its calls are held until it has read them. If its
    /// held calls take more, its socket is not read.
    private static let backlog = 1 << 20
    /// The memory that a waiting message takes in addition to its bytes, and the bytes charged for a descriptor.
    private static let bytesOfMessage = 1_024
    /// What is charged for a waiting call on a bus besides its bytes. It is more than the memory that the call takes, because
    /// a dbus-daemon searches all open calls at each call and each answer.
    private static let bytesOfCallOnBus = 2_048
    private static let bytesOfHeldDescriptor = 16 << 10

    /// If more bytes than this are queued, the link writes immediately, so that the other side can start reading.
    private static let largeBatch = 8_192
    /// The time limit for a series of reading pauses. Calls that wait for another process could make it last forever.
    private static let longestReadingPause = Duration.milliseconds(250)
    private static let mostReadsTogether = 16
    /// How much of a peer's short messages is read before other links get their turn. The socket of a bus holds so few
    /// messages that the bus must often be able to write more (I15).
    private static let mostBytesOfPeer = 16 << 10
    /// The maximum number of reads when a peer has left. It is enough to empty any socket's buffer. It is limited,
    /// because a peer whose name has left the bus may keep writing.
    private static let mostReadsAtEnd = 64

    /// Takes over a non-blocking socket.
    init(_ socket: Descriptor, _ authentication: Authentication) {
        (self.socket, self.authentication) = (socket, authentication)
        watch(isNew: true)
        flushSoon()
    }

    isolated deinit { close() }

    /// Connects to a server, and returns once the server has accepted this process.
    static func open(
        _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) -> Link {
        if let path = SocketPath(address), let link = try await NativeConnector.open(path, address, until: deadline) {
            return link
        }
        return try await LibDBusConnector.open(address, until: deadline)
    }

    /// Waits until the authentication is over.
    /// - Returns: its result; `speaking` if it is not over by the deadline.
    func authentication(until deadline: ContinuousClock.Instant) async -> Authentication.State {
        await LimitedWait.result(until: deadline) { end in
            // The state is checked only here, because calling `LimitedWait.result` may have suspended.
            guard authentication.state == .speaking, !isClosed else { return end(authentication.state) }
            authenticated = { end($0) }
        } ?? .speaking
    }

    var passesDescriptors: Bool { authentication.passesDescriptors }
    /// Whether the link can pass the message's descriptors. Also true during the authentication, when messages wait.
    func carries(_ message: Message) -> Bool { message.descriptors.isEmpty || passesDescriptors || !isAuthenticated }
    var isAuthenticated: Bool { authentication.state == .finished }
    var bytesWaiting: Int { outgoing.byteCount }
    var isOpen: Bool { !isClosed && !hasEnded }
    var hasBacklog: Bool {
        isOpen && outgoing.byteCount + outgoing.messageCount * Self.bytesOfMessage > Self.backlog
    }

    /// Closes the link immediately. Afterwards, it runs no callbacks.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        (receive, ended, undeliverable, hasRead) = ({ _ in }, {}, { _ in nil }, {})
        descriptorPatience.end()
        readingPause.cancel()
        for held in [shares?.outgoing, shares?.incoming] { held?.set(bytes: 0, descriptors: 0, hasMoved: true) }
        shares = nil
        DBusActor.thread.unregister(socket.rawValue)
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        outgoing = OutgoingMessages()
        flushWaiters.resumeAll()
        reportAuthenticated(.failed(reason: "the connection was closed"))
    }

    private func reportAuthenticated(_ state: Authentication.State) {
        let report = authenticated
        authenticated = { _ in }
        report(state)
    }

    private func end() {
        guard !isClosed, !hasEnded else { return }
        hasEnded = true
        flushWaiters.resumeAll()
        ended()
        // If no observer has closed the link, it closes itself.
        close()
    }

    // MARK: Sending

    /// Queues a message. The link writes it before the thread sleeps, if the socket has room.
    /// - Returns: the message's serial number; 0 if the link is closed or cannot pass the descriptors.
    @discardableResult
    func send(_ message: Message) -> UInt32 {
        guard isOpen, carries(message), shares?.outgoing.admits() ?? true else { return 0 }
        message.setSerial(nextSerial())
        outgoing.append(message)
        if awaitsRoom { noteOutgoing() } else if outgoing.byteCount > Self.largeBatch { flush() } else { flushSoon() }
        return lastSerial
    }

    /// Returns the next serial number that no unanswered call uses.
    private func nextSerial() -> UInt32 {
        repeat {
            lastSerial &+= 1
            if lastSerial == 0 { (lastSerial, hasWrapped) = (1, true) }
        } while hasWrapped && isAwaited(lastSerial)
        return lastSerial
    }

    private func flushSoon() {
        guard !isFlushDue, !awaitsRoom else { return }
        isFlushDue = true
        DBusActor.thread.soon { [weak self] in
            self?.isFlushDue = false
            self?.flush()
        }
    }

    /// - Parameter whole: the number of completely sent messages before the last write; `nil` if there was no write.
    private func noteOutgoing(since whole: UInt64? = nil) {
        shares?.outgoing.set(
            bytes: outgoing.byteCount, descriptors: outgoing.descriptorCount,
            hasMoved: whole.map { $0 != outgoing.wholeCount } ?? false)
    }

    private func flush() {
        guard isOpen, !awaitsRoom, !descriptorPatience.isWaiting else { return }
        let whole = outgoing.wholeCount
        defer { noteOutgoing(since: whole) }
        let lines = authentication.takeOutgoing()
        if !lines.isEmpty { outgoing.prepend(lines) }
        while outgoing.byteCount > 0, isAuthenticated || outgoing.isConversation {
            let hasDescriptors = outgoing.beginsDescriptors
            let sent = outgoing.send(to: socket.rawValue)
            if sent >= 0 {
                if hasDescriptors { descriptorPatience.end() }
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return setAwaitsRoom(true)
            case EINTR: continue
            case ETOOMANYREFS where hasDescriptors:
                if descriptorPatience.waits({ [weak self] in self?.flush() }) { return }
                outgoing.replaceFirst(undeliverable)
            default: return endSoon()
            }
        }
        if outgoing.byteCount == 0 { flushWaiters.resumeAll() }
        if held.calls > 0, !hasBacklog { hasRead() }
    }

    /// Closes the link after reading the other side's last messages.
    private func endSoon() {
        DBusActor.thread.soon { [weak self] in
            self?.takeInRest()
            self?.end()
        }
    }

    private func setAwaitsRoom(_ awaits: Bool) {
        guard awaitsRoom != awaits else { return }
        awaitsRoom = awaits
        watch()
    }

    private func watch(isNew: Bool = false) {
        let events = (isReadingPaused ? 0 : EPOLLIN.rawValue) | (awaitsRoom ? EPOLLOUT.rawValue : 0)
        DBusActor.thread.register(socket.rawValue, events: events, isNew: isNew) { [weak self] events in
            self?.ready(events)
        }
    }

    /// Waits until all queued bytes have left the process, so that a program can exit after its last message.
    func flushed() async {
        flush()
        await flushWaiters.wait { isOpen && outgoing.byteCount > 0 }
    }

    // MARK: Receiving

    private func ready(_ events: UInt32) {
        if events & EPOLLOUT.rawValue != 0 {
            setAwaitsRoom(false)
            flush()
        }
        guard events & ~EPOLLOUT.rawValue != 0, isOpen, receive != nil || !isAuthenticated else { return }
        let me = self  // Keeps the link alive if a receiver releases it.
        // While reading is paused, an event other than EPOLLOUT reports a disconnect.
        if isReadingPaused { return me.endReadingPause(admitsNext: true) }
        // Read only once, so that other links get their turn. Only the rest of a long message gets several reads, and a
        // bus, where the calls of other callers are behind those of one that floods it (I15).
        for _ in 0..<Self.mostReadsTogether {
            switch me.incoming.receive(from: me.socket.rawValue, atMost: shares == nil ? .max : Self.mostBytesOfPeer) {
            case .bytes:
                me.takeIn()
                me.admitsNext = false
            case .nothing: return
            case .end: return me.end()
            }
            guard me.isOpen, !me.isReadingPaused, me.incoming.isInMessage || me.readsAhead else { return }
        }
    }

    private var readsAhead: Bool { shares == nil && incoming.mayHaveMore }

    /// Receives the last messages of a peer that has disconnected.
    func takeInRest() {
        let me = self  // Keeps the link alive if a receiver releases it.
        if isReadingPaused { me.endReadingPause(admitsNext: true) }
        for _ in 0..<Self.mostReadsAtEnd {
            guard me.isOpen, me.receive != nil, case .bytes = me.incoming.receive(from: me.socket.rawValue) else {
                return
            }
            me.admitsNext = true
            me.takeIn()
        }
    }

    private func takeIn() {
        if authentication.state == .speaking {
            incoming.consume(authentication.take(incoming.bytes))
            flushSoon()
            guard authentication.state != .speaking else { return holdRest(hasMoved: false) }
            reportAuthenticated(authentication.state)
            guard isAuthenticated else {
                flush()
                return end()
            }
        }
        var hasMoved = false
        while isOpen, let receive {
            do throws(MessageError) {
                guard let message = try incoming.nextMessage(admit: { admission($0, $1) }) else { break }
                hasMoved = true
                charge(message)
                receive(message)
            } catch { return end() }
        }
        guard isOpen else { return }
        holdRest(hasMoved: hasMoved)
        if incoming.awaitsAdmission || !incoming.isInMessage && !admitsNext && holdsTooMuch {
            pauseReading()
        } else {
            pausedSince = nil
        }
    }

    // MARK: Arguments of unfinished calls

    /// The holder to charge for a call: a peer's connection or, on a bus, the sender, because senders share the socket.
    private func holder(_ header: MessageHeader) -> ArrivingBytes.Holder? {
        if shares != nil { return .connection(ObjectIdentifier(self)) }
        return header.sender.map { .caller(BusName(trusted: $0)) }
    }

    private func admission(_ header: MessageHeader, _ bytes: Int) -> IncomingBytes.Admission {
        guard let arriving, header.kind == Message.Kind.methodCall.rawValue, let holder = holder(header) else {
            return .taken(nil)
        }
        if admitsNext {
            admitsNext = false
            return .taken(arriving.chargeAlways(bytes, to: holder))
        }
        if let charge = arriving.charge(bytes, to: holder) { return .taken(charge) }
        return shares == nil ? .refused : .later
    }

    /// Charges a call that fitted into the read buffer. A longer call is charged when it is admitted.
    private func charge(_ message: Message) {
        let bytes = message.bytes.count
        guard let arriving, message.kind == .methodCall, message.charge == nil, bytes >= ArrivingBytes.leastCounted,
            let holder = holder(message.header)
        else { return }
        message.charge = shares == nil ? arriving.charge(bytes, to: holder) : arriving.chargeAlways(bytes, to: holder)
        if message.charge == nil { message.mark(.overShare(bytes: bytes)) }
    }

    private var holdsTooMuch: Bool {
        guard let arriving, shares != nil else { return false }
        return held.bytes > Self.backlog || !arriving.isWithinShare(.connection(ObjectIdentifier(self)))
    }

    /// Stops reading until enough calls have finished or the time limit is reached.
    private func pauseReading() {
        guard isOpen, !isReadingPaused, let arriving else { return }
        let since = pausedSince ?? .now
        pausedSince = since
        readingPause.set(at: since + Self.longestReadingPause) { [weak self] in
            self?.endReadingPause(admitsNext: true)
        }
        watch()
        guard !awaitsRelease else { return }
        awaitsRelease = true
        arriving.onRelease { [weak self] in
            guard let self else { return }
            self.awaitsRelease = false
            if self.isReadingPaused { self.endReadingPause(admitsNext: false) }
        }
    }

    private func endReadingPause(admitsNext: Bool) {
        guard isOpen else { return }
        readingPause.cancel()
        if admitsNext { pausedSince = nil }
        self.admitsNext = admitsNext
        watch()
        takeIn()
    }

    // MARK: Calls that wait for their turn

    /// Whether the calls of a peer have to wait until it has read more of its messages.
    var holdsCallsBack: Bool { shares != nil && hasBacklog }

    /// Charges a call that has to wait. Call ``release(_:)`` when it has begun.
    /// - Returns: `nil` if it takes more memory than a caller on a bus may have. A peer's socket is not read instead.
    func hold(_ call: Message) -> Held? {
        guard shares == nil else {
            let bytes = call.bytes.count + Self.bytesOfMessage
            held.calls += 1
            held.bytes += bytes
            held.descriptors += call.descriptors.count
            return Held(calls: 1, bytes: bytes, descriptors: call.descriptors.count)
        }
        guard let arriving, let holder = holder(call.header) else { return Held() }
        // Charged anew, because short calls and descriptors are not charged on arrival.
        call.charge = nil
        let bytes = call.bytes.count + Self.bytesOfCallOnBus + call.descriptors.count * Self.bytesOfHeldDescriptor
        call.charge = arriving.charge(bytes, to: holder)
        return call.charge.map { _ in Held() }
    }

    func release(_ call: Held) {
        guard call.calls > 0, isOpen else { return }
        held.calls -= call.calls
        held.bytes -= call.bytes
        held.descriptors -= call.descriptors
        holdRest(hasMoved: true)
        if isReadingPaused, !holdsTooMuch { endReadingPause(admitsNext: false) }
    }

    private func holdRest(hasMoved: Bool) {
        guard let shares else { return }
        shares.incoming.set(
            bytes: incoming.heldCount + held.bytes, descriptors: incoming.descriptorCount + held.descriptors,
            hasMoved: hasMoved)
        if !shares.incoming.admits() { end() }
    }

    /// Limits incoming messages. A longer message loses its arguments; one with more descriptors loses all descriptors.
    func limitMessages(bytes: Int, descriptors: Int = Int(CLINUX_MOST_DESCRIPTORS)) {
        (incoming.mostMessageBytes, incoming.mostDescriptors) = (bytes, descriptors)
    }
}
