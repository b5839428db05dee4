/// Why a call is refused before its handler sees it; a product gives each reason an error of its own by
/// ``ObjectServer/refusal``.
public enum CallRefusal: Error, Equatable {
    /// The call was not kept; see ``PeerBounds``.
    case tooLong(bytes: Int)
    /// The call was not kept, because its caller has too many bytes under way; see ``ArrivingBytes``.
    case overShare(bytes: Int)
    /// The count of calls that wait for their answers on the connection; see ``PeerBounds``.
    case tooManyCalls(Int)
    /// The count of descriptors of one message; see ``PeerBounds``.
    case tooManyDescriptors(Int)
    /// This process, or the system, has no place for the descriptors of the call or of its answer.
    case noDescriptors

    /// The error without a product.
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

    /// - Parameter subject: the thing that cannot be read.
    func refuse(_ error: MessageError, of subject: String) -> ErrorReply {
        switch error {
        case .descriptorUnavailable: refuse(.noDescriptors)
        case .tooManyDescriptors(let count): refuse(.tooManyDescriptors(count))
        default: ErrorReply(invalidArguments, "\(subject): \(error)")
        }
    }
}
