/// Why a message has come and its arguments cannot be used. Such a message is dropped or refused; the connection stays.
enum MessageDefect: Error, Equatable {
    /// It is longer than the messages that are kept.
    case tooLong(bytes: Int)
    /// It was not kept, because its caller has too many bytes of other calls under way.
    case overShare(bytes: Int)
    /// Its header breaks the protocol, or its descriptors are missing.
    case invalid(MessageError)

    /// What an answer with this defect means to the call.
    var error: MessageError {
        switch self {
        case .tooLong(let bytes), .overShare(let bytes):
            .refused("a message of \(bytes) bytes is longer than those that are taken")
        case .invalid(let error): error
        }
    }
}
