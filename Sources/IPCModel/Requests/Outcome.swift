/// The state of an open request: one of eight ends, or `queued`.
///
/// The raw value is the word on the wire.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// The handler took the request and says that it is done.
    case handled
    /// A program that cannot answer took the request.
    case delivered
    /// The handler read the request and declined it.
    case declined
    /// The sender, the handler or the user cancelled the request.
    case cancelled
    /// The handler tried and failed, or ended before it answered.
    case failed
    /// The request was accepted, and then its handler could not be started.
    case unavailable
    /// The request was delivered and not answered in time: the handler may or may not have done it.
    case timedOut = "timed-out"
    /// The request was never delivered within its time.
    case expired
    /// The request waits for its handler; the only one that is not an end.
    case queued

    /// The error code of ``cancelled`` if a caller cancelled the request, and not its handler.
    package static let calledOffCode = "called-off"

    /// Whether the request is over: every outcome but ``queued``.
    public var isEnd: Bool { self != .queued }
}
