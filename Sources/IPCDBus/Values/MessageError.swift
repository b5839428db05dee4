/// What makes a message impossible to write or to read.
public enum MessageError: Error, Equatable, CustomStringConvertible {
    case invalidSignature(String)
    /// D-Bus strings end at their first NUL, so one inside would silently cut the text.
    case containsNUL
    /// D-Bus specification, "Marshalling containers": at most 64 MiB an array.
    case arrayTooLong(bytes: Int)
    /// D-Bus specification, "Message format": at most 128 MiB a message.
    case messageTooLong(bytes: Int)
    /// The stock bus throws the sender of more off.
    case tooManyDescriptors(Int)
    /// At most 32 arrays, 32 structures and 64 containers in all.
    case tooDeep
    /// A value has another type than the one asked for; types as in a signature.
    case unexpectedType(expected: String, found: String)
    case descriptorUnavailable
    /// The connection carries none: it is TCP, or the other side did not agree.
    case descriptorsNotPassed
    /// The bytes are no message of the protocol; the text says why.
    case malformed(String)
    /// A name in the message breaks its grammar.
    case invalidName(String)
    /// A value has the right type and is still not acceptable; the text says why.
    case refused(String)
    /// A value has more bytes or elements than the receiver's limit of this name allows.
    case beyondLimit(String, asked: UInt64, allowed: UInt64)
    case outOfMemory

    public static let longestArray = 64 << 20
    public static let longestMessage = 128 << 20
    public static let mostDescriptors = 16

    public var description: String {
        switch self {
        case .invalidSignature(let text): "“\(text)” is not a D-Bus signature"
        case .containsNUL: "a text has a NUL character (U+0000), which a D-Bus string cannot carry"
        case .arrayTooLong(let bytes):
            "an array of \(bytes) bytes is longer than the \(Self.longestArray) bytes that D-Bus allows"
        case .messageTooLong(let bytes):
            "a message of \(bytes) bytes is longer than the \(Self.longestMessage) bytes that D-Bus allows"
        case .tooManyDescriptors(let count):
            "\(count) file descriptors are more than the \(Self.mostDescriptors) that a message may carry"
        case .tooDeep: "the value is nested deeper than D-Bus allows (32 arrays, 32 structures)"
        case .unexpectedType(let expected, let found): "expected a value of type “\(expected)”, found “\(found)”"
        case .descriptorUnavailable: "the file descriptor could not be passed on"
        case .descriptorsNotPassed: "this connection cannot pass file descriptors"
        case .malformed(let reason): reason
        case .invalidName(let reason): reason
        case .refused(let reason): reason
        case .beyondLimit(let limit, let asked, let allowed):
            "the limit “\(limit)” is reached: \(asked) asked for, \(allowed) allowed"
        case .outOfMemory: "out of memory"
        }
    }
}
