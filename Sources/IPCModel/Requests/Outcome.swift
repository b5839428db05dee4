/// The outcome of a request to open a URL: eight final outcomes and `queued`. The raw value is the word on the wire.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// The handler accepted the request and reports success.
    case handled
    /// A program that cannot answer received the request.
    case delivered
    /// The handler read the request and declined it.
    case declined
    /// The sender, the handler or the user cancelled the request.
    case cancelled
    /// The handler tried and failed, or exited before it answered.
    case failed
    /// The request was accepted, but its handler could not be started.
    case unavailable
    /// The request was delivered but not answered in time. The handler may or may not have carried it out.
    case timedOut = "timed-out"
    /// The request expired before it could be delivered.
    case expired
    /// The request is waiting for its handler. This is the only outcome that is not final.
    case queued

    /// The error code of a ``cancelled`` request that was cancelled by a caller and not by its handler.
    package static let calledOffCode = "called-off"

    /// Whether the outcome is final. This is true for all outcomes except ``queued``.
    public var isEnd: Bool { self != .queued }
}
