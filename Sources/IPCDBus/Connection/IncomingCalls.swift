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

    /// Starts a call. Rejects it if it has a defect, and defers it if its caller has to read earlier answers first.
    func receive(_ message: Message, from link: Link, on connection: Connection) {
        if let defect = message.defect {
            // A call without a serial number or, on a bus, without a sender cannot be answered.
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

    private func refuse(_ message: Message, with error: ErrorReply, from link: Link, on connection: Connection) {
        IncomingCall(message, path: message.path ?? "/", link: link, connection: connection).fail(error)
    }
}
