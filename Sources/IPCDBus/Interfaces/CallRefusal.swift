/// The reason for which a call is refused before its handler sees it. ``ObjectServer/refusal`` gives it a product's own error.
public enum CallRefusal: Error, Equatable {
    /// The message is longer than the limit; see ``PeerBounds``.
    case tooLong(bytes: Int)
    /// The unfinished calls of the caller have too many bytes; see ``ArrivingBytes``.
    case overShare(bytes: Int)
    /// More calls of the connection than this are unanswered; see ``PeerBounds``.
    case tooManyCalls(Int)
    /// The message has this count of descriptors; see ``PeerBounds``.
    case tooManyDescriptors(Int)
    /// The process or the system has no room for the descriptors of the call or of its answer.
    case noDescriptors

    /// The error of this library.
    var reply: ErrorReply {
        switch self {
        case .tooLong(let bytes): ErrorReply(.limitsExceeded, "a message of \(bytes) bytes is too long")
        case .overShare(let bytes):
            ErrorReply(.limitsExceeded, "a message of \(bytes) bytes beside others under way is too much; try again")
        case .tooManyCalls(let count):
            ErrorReply(.limitsExceeded, "more than \(count) calls of this connection wait for their answers")
        case .tooManyDescriptors(let count):
            ErrorReply(.limitsExceeded, "a message with \(count) file descriptors has too many")
        case .noDescriptors: ErrorReply(.limitsExceeded, "there is no place for more file descriptors; try again")
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
