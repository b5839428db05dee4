/// One step in the history of a request, without its content.
public struct TraceStep: Sendable, Hashable {
    /// The kind of step. The raw value is the word on the wire.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The broker accepted the request, and its sender is waiting.
        case accepted
        /// The broker accepted the request for later delivery.
        case queued
        /// The bus was asked to start the handler.
        case starting
        /// The handler could not be started.
        case startFailed = "start-failed"
        /// The request was sent to the handler.
        case delivered
        /// The handler answered.
        case answered
        /// The handler returned the request unread.
        case handedBack = "handed-back"
        /// The handler left the bus without answering.
        case handlerLeft = "handler-left"
        /// The sender, or another caller that knows the id, cancelled the request, and the handler was notified.
        case cancelAsked = "cancel-asked"
        /// A broker found the request in its store when it started.
        case recovered
        /// The request ended.
        case ended
        /// The handler answered after the request had ended.
        case answeredLate = "answered-late"
        /// The request was queued again as a new request, whose id is in ``TraceStep/detail``.
        case retried
    }

    public let kind: Kind
    /// When the broker recorded the step.
    public let time: Timestamp
    /// The number of the delivery that the step belongs to; 0 before the first delivery.
    public let attempt: UInt32
    /// The program that caused the step: an application id, or a connection's unique name.
    public let who: String
    /// The size of the payload or reply in bytes; 0 if there is none.
    public let size: UInt64
    /// An outcome, a reason or an id, depending on the kind of step; empty if there is none.
    public let detail: String

    package init(
        _ kind: Kind, at time: UInt64, attempt: UInt32 = 0, who: String = "", size: UInt64 = 0, detail: String = ""
    ) {
        (self.kind, self.time, self.attempt) = (kind, Timestamp(millisecondsSince1970: time), attempt)
        (self.who, self.size, self.detail) = (who, size, detail)
    }
}
