/// A method call that came in, and the one answer that it gets.
///
/// The caller gets exactly one answer in any case: a call that is released without an answer gets an error (I18).
@DBusActor
public final class IncomingCall {
    /// The call as it came; without its arguments, path and interface once its handler has been given them.
    public let message: Message
    public let connection: Connection
    public let path: ObjectPath
    /// Weak: the descriptor closes with the link, also while a handler still works for a caller that has left.
    private weak var link: Link?
    private var isAnswered = false
    private var signals: [Message] = []
    private var kept: AnyObject?

    init(_ message: Message, path: ObjectPath, link: Link, connection: Connection) {
        (self.message, self.path, self.link, self.connection) = (message, path, link, connection)
        connection.incoming.unanswered += 1
    }

    isolated deinit {
        if !isAnswered { fail(ErrorReply(.failed, "the service let the call go without an answer")) }
    }

    /// The caller as the bus attests it; of a peer the name for which it stands, whatever its message says.
    public var sender: BusName? { connection.isPeer ? connection.incoming.standIn?.name : message.sender }

    /// Whether the connection of the call still stands.
    public var isAwaited: Bool { link?.isOpen ?? false }

    /// Whether the caller has not read much of what it was sent, or much has not left for the bus.
    public var hasBacklog: Bool {
        link?.hasBacklog ?? false || busCaller.map { connection.incoming.unread?.isBehind($0) ?? false } ?? false
    }

    /// Waits until that is gone, or the connection has ended.
    public func backlogRead() async {
        while let link, hasBacklog {
            await link.flushed()
            if let busCaller { await connection.incoming.unread?.read(by: busCaller) }
        }
    }

    /// The caller for whom the bus holds answers.
    private var busCaller: BusName? { connection.isPeer ? nil : message.sender }

    /// Ends the charge for the arguments, because another bound counts them from now on.
    package func releaseShare() { message.charge = nil }

    /// Keeps an object, such as a charge, until the answer is sent.
    package func keepUntilAnswered(_ object: AnyObject) { if !isAnswered { kept = object } }

    /// A signal to send after the answer, so that a caller never learns of its own change before the answer.
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
        // Without memory for an error message there is nothing left to say.
        guard let reply = try? Message.error(for: message, error) else { return }
        finish(reply)
    }

    /// Reply first, signals after.
    private func finish(_ reply: Message) {
        guard !isAnswered else { return }
        isAnswered = true
        connection.incoming.unanswered -= 1
        if message.expectsReply, link?.send(reply) ?? 0 != 0, let busCaller {
            connection.incoming.unread?.sent(reply, to: busCaller)
        }
        kept = nil
        for signal in signals { signalRoute.broadcast(signal) }
        signals = []
    }

    /// Signals stay on the bus, where those are who listen.
    private var signalRoute: Connection { connection.incoming.standIn?.bus ?? connection }
}

/// An error as it travels.
public struct ErrorReply: Error, Equatable, Sendable {
    public let name: ErrorName
    public let message: String

    /// A longer sentence is shortened on its way.
    static let mostBytes = 1_500

    public init(_ name: ErrorName, _ message: String) { (self.name, self.message) = (name, message) }
}

/// An error that a handler may throw and that has a name on the wire; any other one is answered as
/// `org.freedesktop.DBus.Error.Failed` and logged.
public protocol ErrorReplyConvertible: Error {
    var errorReply: ErrorReply { get }
}

extension ErrorReply: ErrorReplyConvertible {
    public var errorReply: ErrorReply { self }
}
