public import IPC

/// Why something that was asked for is not done: a word for programs and a sentence for people. It is the answer to a URL.
public struct SceneRefusal: HandlerError, Sendable, Hashable, CustomStringConvertible {
    public let code: String
    public let description: String

    public init(_ description: String, code: String) { (self.code, self.description) = (code, description) }
}
