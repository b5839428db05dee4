/// The refusal of a call: nothing was accepted, nothing was written, and no handler was called.
///
/// On the bus it is the error `org.swiftipc.Error.<code>` with the message as its only argument.
public struct IPCError: Error, Hashable, CustomStringConvertible {
    /// The kind of refusal; a program branches on this.
    public let code: Code
    /// One sentence for the user, with the numbers and the next step.
    public let message: String

    /// Makes an error of a kind, with a sentence that starts with a small letter and has no full stop.
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }

    public static func == (left: IPCError, right: IPCError) -> Bool {
        left.code == right.code && left.message.isIdentical(to: right.message)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        message.hashBytes(into: &hasher)
    }
}

extension IPCError: Condition {
    package var ipcError: IPCError { self }
}

extension IPCError {
    /// The kinds of refusal; the raw value is the last part of the error's name on the bus.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// An argument or option is unknown, missing, of the wrong type or against a rule.
        case invalidArguments = "InvalidArguments"
        /// The URL has no valid scheme, holds a control character, or is longer than 1 MiB.
        case invalidURL = "InvalidURL"
        /// An application id, a scheme or the name of a pasteboard breaks its grammar.
        case invalidName = "InvalidName"
        /// The payload cannot be taken: a descriptor of the wrong kind, or a handler that cannot get it.
        case payloadInvalid = "PayloadInvalid"
        /// There is no pasteboard of that name, and the call does not create one.
        case noSuchPasteboard = "NoSuchPasteboard"
        /// The version, item or representation does not exist, or is no longer kept.
        case noSuchItem = "NoSuchItem"
        /// No request has that id, or its record is no longer kept.
        case noSuchRequest = "NoSuchRequest"
        /// No application has registered the scheme.
        case noHandler = "NoHandler"
        /// The handler is not running and cannot be started.
        case handlerUnavailable = "HandlerUnavailable"
        /// The store cannot be used at present.
        case storeUnavailable = "StoreUnavailable"
        /// The bus or the broker did not answer in time; the broker may have carried the call out.
        case timedOut = "TimedOut"
        /// The caller does not own the bus name of the application: another process does, or none.
        case notOwner = "NotOwner"
        /// The disk is full; acknowledged data is safe, and reading goes on.
        case noSpace = "NoSpace"
        /// Reading or writing failed, or stored bytes are damaged.
        case inputOutput = "InputOutput"
        /// The pasteboard has moved on from the version that the caller expected.
        case changeCountMismatch = "ChangeCountMismatch"
        /// A limit would be exceeded; the message gives its name, the use and the request.
        case limitExceeded = "LimitExceeded"
        /// A rule forbids it.
        case accessDenied = "AccessDenied"
        /// The scheme belongs to the system and was not explicitly allowed.
        case reservedScheme = "ReservedScheme"
        /// Handlers that open each other's URLs have reached the greatest depth.
        case loopDetected = "LoopDetected"
    }
}
