/// The incoming calls of a connection: the callable objects, the bus name of a peer, and the unanswered calls.
@DBusActor
final class IncomingCalls {
    let objects: ObjectServer
    var unanswered = 0
    /// The maximum number of unanswered calls; a further call fails immediately.
    var most = Int.max
    /// The bus name that a peer represents; see ``Connection/stand(for:on:greeted:)``.
    var standIn: StandIn?
    var hasGreeted = false
    /// The answers that the bus may still hold for slow callers; `nil` if they are not limited.
    private(set) var unread: UnreadAnswers?

    init(_ objects: ObjectServer) { self.objects = objects }

    /// Starts a call when it is its turn. Rejects it if it has a defect.
    func receive(_ message: Message, from link: Link, on connection: Connection) {
        if let defect = message.defect {
            // A call without a serial number or, on a bus, without a sender cannot be answered.
            guard message.serial != 0, connection.isPeer || message.sender != nil else { return }
            return refuse(message, with: objects.refuse(defect), from: link, on: connection)
        }
        guard let path = message.path else { return }
        let turn = CallTurns.Turn(caller: caller(of: message, on: connection), bytes: message.bytes.count)
        if objects.turns.begins(turn, mayBegin: mayBegin(for: message.sender, on: link)) {
            return begin(message, path, turn, from: link, on: connection)
        }
        guard let held = link.hold(message) else {
            let error = CallRefusal.overShare(bytes: message.bytes.count)
            return refuse(message, with: objects.refuse(error), from: link, on: connection)
        }
        // Weak, so that a link that has closed meanwhile releases its socket (I17).
        let waiting = CallTurns.Waiting(turn: turn, expectsReply: message.expectsReply) {
            [weak link, sender = message.sender] in
            self.mayBegin(for: sender, on: link)
        } begin: { [weak link] in
            self.begin(message, path, turn, from: link, on: connection)
            link?.release(held)
        }
        objects.turns.hold(waiting)
    }

    func boundUnreadAnswers(on connection: Connection, isPresent: @escaping @DBusActor (BusName) -> Bool) {
        unread = UnreadAnswers(connection, isPresent: isPresent) { [objects] in objects.turns.proceed(.name($0)) }
    }

    /// Forgets a caller that has left the bus.
    func callerLeft(_ caller: BusName) {
        unread?.left(caller)
        objects.turns.left(.name(caller))
    }

    /// Notes that a peer has read its answers.
    func peerHasRead() { objects.turns.proceed(peer) }

    func peerLeft() { objects.turns.left(peer) }

    private var peer: CallTurns.Caller { .peer(ObjectIdentifier(self)) }

    private func caller(of message: Message, on connection: Connection) -> CallTurns.Caller {
        guard !connection.isPeer, let sender = message.sender else { return peer }
        return .name(sender)
    }

    /// Whether a caller has read enough of its answers, so that its next call may begin.
    private func mayBegin(for sender: BusName?, on link: Link?) -> Bool {
        if link?.holdsCallsBack == true { return false }
        guard let unread, let sender else { return true }
        return !unread.isBehind(sender)
    }

    private func begin(
        _ message: Message, _ path: ObjectPath, _ turn: CallTurns.Turn, from link: Link?, on connection: Connection
    ) {
        let call = IncomingCall(message, path: path, link: link, connection: connection, turn: turn)
        guard unanswered <= most else { return call.fail(objects.refuse(.tooManyCalls(most))) }
        if standIn?.answers(call, on: connection) == true { return }
        objects.handle(call)
    }

    private func refuse(_ message: Message, with error: ErrorReply, from link: Link, on connection: Connection) {
        IncomingCall(message, path: message.path ?? "/", link: link, connection: connection).fail(error)
    }
}
