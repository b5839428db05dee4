/// The reason why a message cannot be written or read.
public enum MessageError: Error, Equatable, CustomStringConvertible {
    case invalidSignature(String)
    /// A string contains a NUL, which would end the D-Bus string too early.
    case containsNUL
    /// An array is longer than 64 MiB (D-Bus specification, "Marshalling containers").
    case arrayTooLong(bytes: Int)
    /// A message is longer than 128 MiB (D-Bus specification, "Message format").
    case messageTooLong(bytes: Int)
    /// A message has more descriptors than ``mostDescriptors``. The reference bus would disconnect its sender.
    case tooManyDescriptors(Int)
    /// At most 32 arrays, 32 structures and 64 containers may be nested.
    case tooDeep
    /// A value's type differs from the requested one. Both strings are signatures.
    case unexpectedType(expected: String, found: String)
    case descriptorUnavailable
    /// The connection uses TCP, or the other side did not agree to pass descriptors.
    case descriptorsNotPassed
    /// The bytes break the protocol, for this reason.
    case malformed(String)
    /// A name in the message is invalid, for this reason.
    case invalidName(String)
    /// A value has the right type, but is rejected for this reason.
    case refused(String)
    /// A value has more bytes or elements than the receiver's limit with this name allows.
    case beyondLimit(String, asked: UInt64, allowed: UInt64)
    case outOfMemory

    public static let longestArray = 64 << 20
    public static let longestMessage = 128 << 20
    public static let mostDescriptors = 16

    public var description: String {
        switch self {
        case .invalidSignature(let text): "“\(text)” is not a D-Bus signature"
        case .containsNUL: "a string contains a NUL character (U+0000), which D-Bus does not allow"
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
            "the limit “\(limit)” is reached: \(asked) requested, \(allowed) allowed"
        case .outOfMemory: "out of memory"
        }
    }
}
