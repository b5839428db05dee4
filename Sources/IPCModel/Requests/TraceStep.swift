/// One step of an open request, without its content.
public struct TraceStep: Sendable, Hashable {
    /// The kind of step; the raw value is the word on the wire.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The broker accepted it, and its sender waits.
        case accepted
        /// The broker accepted it for later delivery.
        case queued
        /// The bus was asked to start the handler.
        case starting
        /// The handler could not be started.
        case startFailed = "start-failed"
        /// It was sent to the handler.
        case delivered
        /// The handler answered.
        case answered
        /// The handler returned it unread.
        case handedBack = "handed-back"
        /// The handler left the bus without an answer.
        case handlerLeft = "handler-left"
        /// The sender, or another caller that knows the id, cancels it; the handler was notified.
        case cancelAsked = "cancel-asked"
        /// A broker found it at its start.
        case recovered
        /// It ended.
        case ended
        /// The handler answered after the end.
        case answeredLate = "answered-late"
        /// It was queued again as another request, whose id is the detail.
        case retried
    }

    public let kind: Kind
    /// When the broker noted it.
    public let time: Timestamp
    /// The number of the delivery that it belongs to; 0 before the first one.
    public let attempt: UInt32
    /// The program that did it: an application id, or a connection's unique name.
    public let who: String
    /// Bytes of the payload or the reply, if it has one.
    public let size: UInt64
    /// An outcome or a reason, as a word or a sentence.
    public let detail: String

    package init(
        _ kind: Kind, at time: UInt64, attempt: UInt32 = 0, who: String = "", size: UInt64 = 0, detail: String = ""
    ) {
        (self.kind, self.time, self.attempt) = (kind, Timestamp(millisecondsSince1970: time), attempt)
        (self.who, self.size, self.detail) = (who, size, detail)
    }
}
