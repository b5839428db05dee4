/// An incoming method call, answered once. If it is released without an answer, the caller gets an error (I18).
@DBusActor
public final class IncomingCall {
    /// The message of the call. Its arguments, path and interface are released when the handler starts.
    public let message: Message
    public let connection: Connection
    public let path: ObjectPath
    /// Weak, so that a closed link releases its socket even if a handler is still working for a caller that has left.
    private weak var link: Link?
    private var isAnswered = false
    private var signals: [Message] = []
    private var kept: AnyObject?
    /// What this call uses of its caller's share; `nil` once it uses nothing.
    private var turn: CallTurns.Turn?

    init(_ message: Message, path: ObjectPath, link: Link?, connection: Connection, turn: CallTurns.Turn? = nil) {
        (self.message, self.path, self.link, self.connection, self.turn) = (message, path, link, connection, turn)
        connection.incoming.unanswered += 1
        connection.objects.used?()
    }

    isolated deinit {
        if !isAnswered { fail(ErrorReply(.failed, "the service released the call without answering")) }
    }

    /// The caller, attested by the bus. For a peer, the bus name that it represents, not the sender in its message.
    public var sender: BusName? { connection.isPeer ? connection.incoming.standIn?.name : message.sender }

    /// Whether the connection of the call is still open.
    public var isAwaited: Bool { link?.isOpen ?? false }

    /// Whether the caller has many bytes left to read. They are held by the bus or, for a peer, by this process.
    public var hasBacklog: Bool {
        guard let busCaller else { return link?.hasBacklog ?? false }
        return isAwaited && connection.incoming.unread?.isBehind(busCaller) ?? false
    }

    /// Waits until ``hasBacklog`` is false or the connection is closed.
    public func backlogRead() async {
        while let link, hasBacklog {
            if let busCaller { await connection.incoming.unread?.read(by: busCaller) } else { await link.flushed() }
        }
    }

    /// The caller, if the bus buffers the answers to it; `nil` on a peer-to-peer connection.
    private var busCaller: BusName? { connection.isPeer ? nil : message.sender }

    /// Releases the charge for the arguments (``ArrivingBytes``). Call this once they count towards another limit.
    package func releaseShare() { message.charge = nil }

    /// Lets a later call of the caller begin (``CallTurns``): the call is answered, or it waits for another program.
    package func endTurn() {
        guard let turn else { return }
        self.turn = nil
        connection.objects.turns.ended(turn)
    }

    /// Keeps an object, such as a charge for memory, until the bus has taken the answer. For a peer, until the answer is
    /// queued: one that does not read must not keep what others share. Releases the object kept before.
    package func keepUntilAnswered(_ object: AnyObject?) { if !isAnswered { kept = object } }

    /// Sends a signal after the answer, so that a caller never gets the signal for its own change before the answer.
    /// - Throws: ``MessageError`` if a message cannot carry the values.
    public func emitAfterReply<Values>(
        _ signal: Signal<Values>, from path: ObjectPath, _ values: Values, to destination: BusName? = nil
    ) throws(MessageError) {
        let message = try signal.message(from: path, values, to: destination)
        if isAnswered { signalRoute.broadcast(message) } else { signals.append(message) }
    }

    func answer<Output>(_ output: Output, as arguments: Arguments<Output>) {
        do throws(MessageError) {
            let reply = try Message.methodReturn(for: message, signature: arguments.signature) {
                (writer) throws(MessageError) in try arguments.write(output, &writer)
            }
            guard link?.carries(reply) ?? true else { throw .descriptorsNotPassed }
            finish(reply)
        } catch {
            fail(ErrorReply(.failed, "the answer does not fit into a message: \(error)"))
        }
    }

    func fail(_ error: ErrorReply) {
        // If there is no memory left for the error, the caller gets no answer.
        guard let reply = try? Message.error(for: message, error) else { return }
        finish(reply)
    }

    private func finish(_ reply: Message) {
        guard !isAnswered else { return }
        isAnswered = true
        connection.incoming.unanswered -= 1
        endTurn()
        connection.objects.used?()
        if !connection.isPeer { reply.charge = kept }
        kept = nil
        if message.expectsReply, link?.send(reply) ?? 0 != 0, let busCaller {
            connection.incoming.unread?.sent(reply, to: busCaller)
        }
        for signal in signals { signalRoute.broadcast(signal) }
        signals = []
    }

    /// The connection for sending signals. Even if the caller is a peer, this is the bus, where the receivers are.
    private var signalRoute: Connection { connection.incoming.standIn?.bus ?? connection }
}

/// An error name and an error message, as sent on the wire.
public struct ErrorReply: Error, Equatable, Sendable {
    public let name: ErrorName
    public let message: String

    /// The maximum length of an error message. A longer one is shortened when it is sent.
    static let mostBytes = 1_500

    public init(_ name: ErrorName, _ message: String) { (self.name, self.message) = (name, message) }
}

/// An error of a handler that has a name on the wire. Any other error is logged and sent as
/// `org.freedesktop.DBus.Error.Failed`.
public protocol ErrorReplyConvertible: Error {
    var errorReply: ErrorReply { get }
}

extension ErrorReply: ErrorReplyConvertible {
    public var errorReply: ErrorReply { self }
}
