/// The calls that come over a connection: their objects, their sender if it is a peer, and the count that waits for answers.
@DBusActor
final class IncomingCalls {
    let objects: ObjectServer
    /// Calls that have come and wait for their answers.
    var unanswered = 0
    /// One more is answered at once, with an error.
    var most = Int.max
    /// Of a peer: the name on a bus for which it stands; see ``Connection/stand(for:on:greeted:)``.
    var standIn: StandIn?
    /// Whether the peer has said `Hello`.
    var hasGreeted = false
    /// The answers that the bus may still hold; `nil` where they are not bounded.
    private(set) var unread: UnreadAnswers?

    init(_ objects: ObjectServer) { self.objects = objects }

    /// Begins a call, unless it has a defect or its caller has to read answers first.
    func receive(_ message: Message, from link: Link, on connection: Connection) {
        if let defect = message.defect {
            // Without a serial or a sender, nothing can be answered.
            guard message.serial != 0, connection.isPeer || message.sender != nil else { return }
            return refuse(message, with: objects.refuse(defect), from: link, on: connection)
        }
        if let unread, let sender = message.sender {
            do throws(CallRefusal) { if try unread.holds(message, of: sender) { return } } catch {
                return refuse(message, with: objects.refuse(error), from: link, on: connection)
            }
        }
        begin(message, from: link, on: connection)
    }

    /// See ``Connection/boundUnreadAnswers(isPresent:)``.
    func boundUnreadAnswers(on connection: Connection, isPresent: @escaping @DBusActor (BusName) -> Bool) {
        unread = UnreadAnswers(connection, isPresent: isPresent) { [weak connection] message in
            guard let connection, let link = connection.link else { return }
            connection.incoming.begin(message, from: link, on: connection)
        }
    }

    private func begin(_ message: Message, from link: Link, on connection: Connection) {
        guard let path = message.path else { return }
        let call = IncomingCall(message, path: path, link: link, connection: connection)
        guard unanswered <= most else { return call.fail(objects.refuse(.tooManyCalls(most))) }
        if standIn?.answers(call, on: connection) == true { return }
        objects.handle(call)
    }

    /// Answers a call that its handler does not see.
    private func refuse(_ message: Message, with error: ErrorReply, from link: Link, on connection: Connection) {
        IncomingCall(message, path: message.path ?? "/", link: link, connection: connection).fail(error)
    }
}
