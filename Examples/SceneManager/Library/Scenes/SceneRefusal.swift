public import IPC

/// The reason why an order was rejected: a code for programs and a message for users. It is the reply to a URL.
public struct SceneRefusal: HandlerError, Sendable, Hashable, CustomStringConvertible {
    public let code: String
    public let description: String

    public init(_ description: String, code: String) { (self.code, self.description) = (code, description) }
}
