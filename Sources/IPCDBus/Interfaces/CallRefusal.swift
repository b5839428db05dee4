/// Why a call is rejected before its handler sees it. ``ObjectServer/refusal`` can turn it into a product's own error.
public enum CallRefusal: Error, Equatable {
    /// The message is longer than the limit; see ``PeerBounds``.
    case tooLong(bytes: Int)
    /// The caller's unfinished calls take too many bytes; see ``ArrivingBytes``.
    case overShare(bytes: Int)
    /// The connection has more unanswered calls than this limit; see ``PeerBounds``.
    case tooManyCalls(Int)
    /// The message has this many descriptors, which is too many; see ``PeerBounds``.
    case tooManyDescriptors(Int)
    /// The process or the system has no room for the descriptors of the call or its answer.
    case noDescriptors

    /// The error that this library sends, unless the product has its own.
    var reply: ErrorReply {
        switch self {
        case .tooLong(let bytes): ErrorReply(.limitsExceeded, "a message of \(bytes) bytes is too long")
        case .overShare(let bytes):
            ErrorReply(.limitsExceeded, "there is no space for a message of \(bytes) bytes at the moment; try again")
        case .tooManyCalls(let count):
            ErrorReply(.limitsExceeded, "more than \(count) calls on this connection are waiting for answers")
        case .tooManyDescriptors(let count):
            ErrorReply(.limitsExceeded, "a message has \(count) file descriptors, which is too many")
        case .noDescriptors: ErrorReply(.limitsExceeded, "there is no room for more file descriptors; try again")
        }
    }
}

extension ObjectServer {
    func refuse(_ refusal: CallRefusal) -> ErrorReply { self.refusal(refusal) ?? refusal.reply }

    func refuse(_ defect: MessageDefect) -> ErrorReply {
        switch defect {
        case .tooLong(let bytes): refuse(CallRefusal.tooLong(bytes: bytes))
        case .overShare(let bytes): refuse(CallRefusal.overShare(bytes: bytes))
        case .invalid(let error): refuse(error, of: "the call")
        }
    }

    /// - Parameter subject: the part of a call that cannot be read.
    func refuse(_ error: MessageError, of subject: String) -> ErrorReply {
        switch error {
        case .descriptorUnavailable: refuse(.noDescriptors)
        case .tooManyDescriptors(let count): refuse(.tooManyDescriptors(count))
        default: ErrorReply(invalidArguments, "\(subject): \(error)")
        }
    }
}
