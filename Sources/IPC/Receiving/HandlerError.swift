/// Why a handler has failed, in words of its own: what it throws in the body of ``OpenURLRequest/handle(_:)`` reaches the
/// sender with this code and this sentence.
///
/// Any other error reaches the sender with the name of its type as the code, which changes with the source. Where an error
/// describes itself, that is its sentence.
public protocol HandlerError: Error {
    /// A short word for programs, in lower case with hyphens; ``CallFailure/code`` and ``OpenURLResponse/errorCode`` of
    /// the sender.
    var code: String { get }
    /// A sentence for people that starts with a small letter and has no full stop.
    var message: String { get }
}

extension HandlerError where Self: CustomStringConvertible {
    public var message: String { description }
}

/// A reply that a handler got itself, by a call, fails as that call did.
extension CallFailure: HandlerError {}
