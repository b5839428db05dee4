/// The reason why a connection could not be opened.
public enum ConnectionError: Error, Equatable, CustomStringConvertible {
    /// No bus address is known.
    case noBus(reason: String)
    case cannotConnect(address: String, reason: String)
    case cannotListen(address: String, reason: String)
    /// The bus rejected the connection, or did not answer `Hello` as specified.
    case refused(reason: String)
    /// A server accepted the connection but did not answer in time.
    case timedOut(address: String)

    public var description: String {
        switch self {
        case .noBus(let reason): "no message bus: \(reason)"
        case .cannotConnect(let address, let reason):
            "cannot connect to the message bus at \(Self.shown(address)): \(reason)"
        case .cannotListen(let address, let reason): "cannot listen at \(Self.shown(address)): \(reason)"
        case .refused(let reason): "the message bus refused the connection: \(reason)"
        case .timedOut(let address): "the message bus at \(Self.shown(address)) did not answer in time"
        }
    }

    /// An address, shortened if it is so long that a message with it could not be read.
    package static func shown(_ address: String) -> String { address.shortened(to: 512) }
}

/// The reason why a method call failed.
public enum CallError: Error, Equatable, CustomStringConvertible {
    /// The callee, or the bus in its place, answered with an error.
    case remote(name: String, message: String)
    /// No answer arrived within the timeout. The callee may have performed the call.
    case timedOut
    /// The connection was lost before the answer arrived. The callee may have performed the call.
    case disconnected
    /// The calling task was cancelled. The callee may still perform the call.
    case cancelled
    /// Nothing was sent, because a message cannot carry the arguments.
    case unsendable(MessageError)
    /// The answer breaks the protocol, or its types differ from the method's output.
    case badReply(MessageError)

    public var description: String {
        switch self {
        case .remote(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .timedOut: "no answer in time"
        case .disconnected: "the connection to the message bus was lost"
        case .cancelled: "the call was cancelled"
        case .unsendable(let error): error.description
        case .badReply(let error): "the answer is malformed: \(error)"
        }
    }

    /// Whether the callee answered with the error `name`.
    public func isRemote(_ name: ErrorName) -> Bool {
        if case .remote(name.text, _) = self { true } else { false }
    }
}
