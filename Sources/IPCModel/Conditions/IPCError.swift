/// The error of a rejected call: nothing was accepted, nothing was written, and no handler was called.
///
/// On the bus, it is sent as the error `org.swiftipc.Error.<code>`, with the message as its only argument.
public struct IPCError: Error, Hashable, CustomStringConvertible {
    /// The kind of error, for programs to act on.
    public let code: Code
    /// The message for the user: one sentence, with the relevant numbers and the next step.
    public let message: String

    /// Creates an error. The message starts with a lower-case letter and has no full stop.
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

extension IPCError.Code {
    /// Whether the call got no answer, because the bus or the broker was absent or silent.
    package var meansNoAnswer: Bool { [.noBus, .storeUnavailable, .timedOut].contains(self) }
}

extension IPCError {
    /// The kinds of errors. The raw value is the last part of the error's name on the bus.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// An argument or option is unknown, missing or of the wrong type, or it breaks a rule.
        case invalidArguments = "InvalidArguments"
        /// The URL has no valid scheme, contains a control character, or is longer than 1 MiB.
        case invalidURL = "InvalidURL"
        /// An application id, a scheme or a pasteboard name is not valid.
        case invalidName = "InvalidName"
        /// The payload cannot be accepted: a descriptor is of the wrong kind, or the handler cannot receive it.
        case payloadInvalid = "PayloadInvalid"
        /// The pasteboard does not exist, and the call does not create it.
        case noSuchPasteboard = "NoSuchPasteboard"
        /// The version, item or representation does not exist, or is no longer stored.
        case noSuchItem = "NoSuchItem"
        /// There is no request with this id, or its record is no longer stored.
        case noSuchRequest = "NoSuchRequest"
        /// No application handles the scheme.
        case noHandler = "NoHandler"
        /// The handler is not running and cannot be started.
        case handlerUnavailable = "HandlerUnavailable"
        /// There is no message bus, or the connection to it was lost.
        case noBus = "NoBus"
        /// There is no broker, or its store cannot currently be used.
        case storeUnavailable = "StoreUnavailable"
        /// The bus or the broker did not answer in time. The broker may have carried out the call.
        case timedOut = "TimedOut"
        /// The caller does not own the bus name of the application: another process owns it, or none does.
        case notOwner = "NotOwner"
        /// The disk is full. Acknowledged data is safe, and reads still work.
        case noSpace = "NoSpace"
        /// Reading or writing failed, or stored data is damaged.
        case inputOutput = "InputOutput"
        /// The pasteboard has changed since the version that the caller expected.
        case changeCountMismatch = "ChangeCountMismatch"
        /// The call would exceed a limit. The message has the limit's name, the amount in use and the requested amount.
        case limitExceeded = "LimitExceeded"
        /// A rule forbids the call.
        case accessDenied = "AccessDenied"
        /// The scheme belongs to the system and was not explicitly allowed.
        case reservedScheme = "ReservedScheme"
        /// Handlers that open each other's URLs have reached the maximum depth.
        case loopDetected = "LoopDetected"
    }
}
