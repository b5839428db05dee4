/// One thing that happened to an open request; never content.
public struct TraceStep: Sendable, Hashable {
    /// What happened; the raw value is the word on the wire.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The broker took it, for a sender who waits.
        case accepted
        /// The broker took it, for delivery when it can be.
        case queued
        /// The bus was asked to start the handler.
        case starting
        /// The handler could not be started.
        case startFailed = "start-failed"
        /// It was sent to the handler.
        case delivered
        /// The handler gave its answer.
        case answered
        /// The handler gave it back without a look.
        case handedBack = "handed-back"
        /// The handler left the bus without an answer.
        case handlerLeft = "handler-left"
        /// The sender, or somebody who knows the id, wants it called off; the handler was told.
        case cancelAsked = "cancel-asked"
        /// A broker was started and found it.
        case recovered
        /// It reached its end.
        case ended
        /// The handler answered after the end.
        case answeredLate = "answered-late"
        /// It was queued once more, as another request, whose id the detail is.
        case retried
    }

    public let kind: Kind
    /// Milliseconds since 1970.
    public let time: UInt64
    /// The number of the delivery that it belongs to; 0 before the first one.
    public let attempt: UInt32
    /// Who did it: an application id, or a connection's unique name.
    public let who: String
    /// Bytes of the payload or the reply, where it has one.
    public let size: UInt64
    /// A word or a sentence more: an outcome, a reason.
    public let detail: String

    package init(
        _ kind: Kind, at time: UInt64, attempt: UInt32 = 0, who: String = "", size: UInt64 = 0, detail: String = ""
    ) {
        (self.kind, self.time, self.attempt) = (kind, time, attempt)
        (self.who, self.size, self.detail) = (who, size, detail)
    }
}
