internal import CLinux
internal import Glibc

/// A socket that carries messages to a bus or to a peer, from connect to disconnect, on the I/O thread.
///
/// Knows nothing of their meaning; ``Connection`` outlives it and replaces it on reconnect. What is sent in one turn of the
/// thread leaves by one system call.
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
    /// The number of the last message; a test sets it.
    var lastSerial: UInt32 = 0
    private var hasWrapped = false
    /// Whether a call with this number still waits for its answer.
    var isAwaited: (UInt32) -> Bool = { _ in false }
    private var flushWaiters: [CheckedContinuation<Void, Never>] = []

    /// Takes every message that comes in; until somebody does they are not read.
    var receive: ((Message) -> Void)? {
        didSet {
            // Messages may have come with the end of the conversation, before the link was handed over.
            guard isOpen, isAuthenticated, !incoming.bytes.isEmpty else { return }
            DBusActor.thread.soon { [weak self] in DBusActor.assumeIsolated { self?.takeIn() } }
        }
    }
    /// Called once, when the other side has ended the link or broken the protocol; not after ``close()``.
    var ended: () -> Void = {}
    /// What it holds of the bounds that it shares with others.
    var shares: LinkShares?
    /// Runs once, when the other side has proved who it is, or has not.
    var authenticated: (Authentication.State) -> Void = { _ in }
    /// Whether a message whose arguments break the protocol ends the link, as it ends that of a sender to a bus.
    private let checksArguments: Bool
    private var mostDescriptors = Int(CLINUX_MOST_DESCRIPTORS)

    /// Calls that have come and do not begin before the other side has read more of what it was sent.
    private var heldCalls = Line<Message>()
    private var held = (bytes: 0, descriptors: 0)
    private var beginsHeldCalls = false

    /// Beyond so many bytes that wait, what follows waits as well where bounds are set: who does not read asks for no more.
    private static let backlog = 1 << 20
    /// What a call that is held takes beside its bytes.
    private static let bytesOfHeldCall = 512

    /// What is queued beyond this does not wait for the end of the turn: the other side begins meanwhile.
    private static let largeBatch = 8_192
    /// Far more than a socket holds: who has left its bus and goes on to write is not listened to for ever.
    private static let mostReadsAtEnd = 64

    /// Takes over one end of a socket that does not block.
    /// - Parameter checksArguments: where no bus does.
    init(_ socket: Descriptor, _ authentication: Authentication, checksArguments: Bool = false) {
        (self.socket, self.authentication, self.checksArguments) = (socket, authentication, checksArguments)
        DBusActor.thread.register(socket.rawValue, events: EPOLLIN.rawValue, isNew: true) { [weak self] events in
            DBusActor.assumeIsolated { self?.ready(events) }
        }
        flushSoon()
    }

    isolated deinit { close() }

    /// Connects to a server by the connector that knows the way, and returns when the server accepts this process.
    static func open(
        _ address: ServerAddress, until deadline: ContinuousClock.Instant
    ) async throws(ConnectionError) -> Link {
        if let path = SocketPath(address), let link = try await NativeConnector.open(path, address, until: deadline) {
            return link
        }
        return try await LibDBusConnector.open(address, until: deadline)
    }

    /// Waits for the end of the authentication.
    /// - Returns: how it ended; `speaking` at the deadline.
    func authentication(until deadline: ContinuousClock.Instant) async -> Authentication.State {
        let timer = DBusTimer()
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            // The way here may have been a suspension of its own.
            guard authentication.state == .speaking, !isClosed else {
                return continuation.resume(returning: authentication.state)
            }
            authenticated = { continuation.resume(returning: $0) }
            timer.set(at: deadline) { [weak self] in self?.tellAuthenticated(.speaking) }
        }
    }

    /// Whether both sides have agreed to pass descriptors.
    var passesDescriptors: Bool { authentication.passesDescriptors }
    /// Whether the message has no descriptors that the link cannot pass. During the authentication that is not known, and
    /// messages wait.
    func carries(_ message: Message) -> Bool { message.descriptors.isEmpty || passesDescriptors || !isAuthenticated }
    var isAuthenticated: Bool { authentication.state == .finished }
    /// Bytes that wait because the other side does not read.
    var bytesWaiting: Int { outgoing.byteCount }
    var isOpen: Bool { !isClosed && !hasEnded }
    /// Whether so much waits that more would only wait behind it.
    var hasBacklog: Bool { isOpen && outgoing.byteCount > Self.backlog }

    /// Ends the link at once; nothing is called any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        (receive, ended) = ({ _ in }, {})
        shares?.release()
        shares = nil
        DBusActor.thread.unregister(socket.rawValue)
        shutdown(socket.rawValue, CInt(SHUT_RDWR))
        outgoing = OutgoingMessages()
        heldCalls = Line()
        wakeFlushWaiters()
        tellAuthenticated(.failed(reason: "it was closed"))
    }

    private func tellAuthenticated(_ state: Authentication.State) {
        let told = authenticated
        authenticated = { _ in }
        told(state)
    }

    /// The other side has gone, or does not keep to the protocol.
    private func end() {
        guard !isClosed, !hasEnded else { return }
        hasEnded = true
        wakeFlushWaiters()
        ended()
        // Who hears of it closes the link; where nobody does, it reads no more.
        close()
    }

    // MARK: Sending

    /// Queues a message, to be written before the thread sleeps as far as the socket takes it.
    /// - Returns: its serial number; 0 if the link has ended, or cannot pass the descriptors of the message.
    @discardableResult
    func send(_ message: Message) -> UInt32 {
        guard isOpen, carries(message), shares?.admitMessage() ?? true else { return 0 }
        message.setSerial(nextSerial())
        outgoing.append(message)
        if awaitsRoom { noteOutgoing() } else if outgoing.byteCount > Self.largeBatch { flush() } else { flushSoon() }
        return lastSerial
    }

    /// The next number that no unanswered call has, also after all numbers were used once.
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
            DBusActor.assumeIsolated {
                self?.isFlushDue = false
                self?.flush()
            }
        }
    }

    /// - Parameter whole: how many messages had left whole when it was noted the last time.
    private func noteOutgoing(since whole: UInt64? = nil) {
        shares?.setOutgoing(
            bytes: outgoing.byteCount, descriptors: outgoing.descriptorCount,
            hasMoved: whole.map { $0 != outgoing.wholeCount } ?? false)
    }

    private func flush() {
        guard isOpen, !awaitsRoom else { return }
        let whole = outgoing.wholeCount
        defer { noteOutgoing(since: whole) }
        let said = authentication.takeOutgoing()
        if !said.isEmpty { outgoing.prepend(said) }
        while outgoing.byteCount > 0, isAuthenticated || outgoing.isConversation {
            let sent = outgoing.send(to: socket.rawValue)
            if sent >= 0 { continue }
            guard errno == EAGAIN || errno == EWOULDBLOCK else {
                if errno == EINTR { continue }
                // What the other side has said before it left counts.
                return DBusActor.thread.soon { [weak self] in
                    DBusActor.assumeIsolated {
                        self?.takeInRest()
                        self?.end()
                    }
                }
            }
            return setAwaitsRoom(true)
        }
        if outgoing.byteCount == 0 { wakeFlushWaiters() }
        beginHeldCalls()
    }

    private func setAwaitsRoom(_ awaits: Bool) {
        guard awaitsRoom != awaits else { return }
        awaitsRoom = awaits
        DBusActor.thread.register(
            socket.rawValue, events: EPOLLIN.rawValue | (awaits ? EPOLLOUT.rawValue : 0), isNew: false
        ) { [weak self] events in DBusActor.assumeIsolated { self?.ready(events) } }
    }

    /// Waits until what was sent has left the process; for the last message of a program.
    func flushed() async {
        flush()
        guard isOpen, outgoing.byteCount > 0 else { return }
        await withCheckedContinuation { continuation in
            if isOpen, outgoing.byteCount > 0 { flushWaiters.append(continuation) } else { continuation.resume() }
        }
    }

    private func wakeFlushWaiters() {
        let waiting = flushWaiters
        flushWaiters = []
        for continuation in waiting { continuation.resume() }
    }

    // MARK: Receiving

    private func ready(_ events: UInt32) {
        if events & EPOLLOUT.rawValue != 0 {
            setAwaitsRoom(false)
            flush()
        }
        guard events & ~EPOLLOUT.rawValue != 0, isOpen, receive != nil || !isAuthenticated else { return }
        let me = self  // A receiver may release the link.
        // One look at a time: others have their turn before the next one.
        switch me.incoming.receive(from: me.socket.rawValue) {
        case .bytes: me.takeIn()
        case .nothing: return
        case .end: me.end()
        }
    }

    /// Takes in what has come so far, where the other side is known to have gone: nothing else tells then what it said last.
    func takeInRest() {
        let me = self  // A receiver may release the link.
        for _ in 0..<Self.mostReadsAtEnd {
            guard me.isOpen, me.receive != nil, case .bytes = me.incoming.receive(from: me.socket.rawValue) else {
                return
            }
            me.takeIn()
        }
    }

    private func takeIn() {
        if authentication.state == .speaking {
            incoming.consume(authentication.take(incoming.bytes))
            flushSoon()
            guard authentication.state != .speaking else { return holdRest(false) }
            tellAuthenticated(authentication.state)
            guard isAuthenticated else {
                flush()
                return end()
            }
        }
        var hasMoved = false
        while isOpen, let receive {
            do throws(MessageError) {
                guard let message = try incoming.nextMessage() else { return holdRest(hasMoved) }
                hasMoved = true
                guard message.descriptors.count <= mostDescriptors else { return end() }
                try pass(message, to: receive)
            } catch { return end() }
        }
    }

    private func pass(_ message: Message, to receive: (Message) -> Void) throws(MessageError) {
        guard message.kind == .methodCall else {
            if checksArguments, message.fullLength == nil { try message.checkArguments() }
            return receive(message)
        }
        guard shares == nil || heldCalls.isEmpty && !hasBacklog else { return hold(message) }
        try begin(message, by: receive)
    }

    /// A call is mostly read to its end at once, which checks it; what is left of it has had no effect yet.
    private func begin(_ call: Message, by receive: (Message) -> Void) throws(MessageError) {
        receive(call)
        if checksArguments, call.fullLength == nil, !call.hasLetGo { try call.checkArguments() }
    }

    private func hold(_ call: Message) {
        heldCalls.append(call)
        held.bytes += call.bytes.count + Self.bytesOfHeldCall
        held.descriptors += call.descriptors.count
    }

    /// Lets those begin that were held, in their order, as far as the other side has read.
    private func beginHeldCalls() {
        guard !heldCalls.isEmpty, !beginsHeldCalls else { return }
        beginsHeldCalls = true
        defer { beginsHeldCalls = false }
        while isOpen, !hasBacklog, let receive, let call = heldCalls.takeFirst() {
            held.bytes -= call.bytes.count + Self.bytesOfHeldCall
            held.descriptors -= call.descriptors.count
            do throws(MessageError) { try begin(call, by: receive) } catch { return end() }
        }
        holdRest(true)
    }

    /// What is left belongs to one message that has not come whole; who sends descriptors on and on with its bytes would
    /// take all that the process has, and those that came without any would be the next message's.
    private func holdRest(_ hasMoved: Bool) {
        let (bytes, descriptors) = (incoming.heldCount, incoming.descriptorCount)
        guard descriptors <= mostDescriptors, descriptors == 0 || bytes > 0 || incoming.isCutting else { return end() }
        guard let shares else { return }
        let admits = shares.setIncoming(
            bytes: bytes + held.bytes, descriptors: descriptors + held.descriptors, hasMoved: hasMoved)
        if !admits { end() }
    }

    /// Bounds what comes in one message: of a longer one the arguments are not kept, one with more descriptors ends the link.
    func limitMessages(bytes: Int = MessageError.longestMessage, descriptors: Int) {
        (incoming.mostMessageBytes, mostDescriptors) = (bytes, descriptors)
    }
}
