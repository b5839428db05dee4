public import IPCDBus
internal import IPCInterface

/// A request to open a URL, as its handler sees it.
///
/// A request gets one answer: the first ``finish(_:replying:)``, or `failed` if it is released without an answer. The
/// answer acknowledges the request, so give it after doing the work. After a crash, the same request may be delivered
/// again, with the same ``id`` and a higher ``attempt``.
@DBusActor
public final class OpenURLRequest {
    /// The request's id, the same in every attempt.
    public nonisolated let id: RequestID
    /// The URL, byte for byte as its sender wrote it. Its parts are ``scheme``, ``host``, ``path`` and ``parameters``.
    public nonisolated let url: String
    /// The scheme of ``url``. Schemes are compared without regard to case (RFC 3986 §3.1).
    public nonisolated let scheme: URLScheme
    /// The sender, and how far its id can be trusted. Grant rights only for ``IPCModel/SourceStrength/owned``.
    public nonisolated let source: Source
    /// The items that came with the URL.
    public nonisolated let payload: Payload
    /// An additional value from the sender, outside the payload; `nil` if there is none.
    public nonisolated let annotation: Value?
    /// The number of this delivery, from 1. A number above 1 means that an earlier delivery was not answered, so the
    /// work may already be done.
    public nonisolated let attempt: UInt32
    /// When the sender times out; `nil` if no sender is waiting. If the request is delivered again while it is being
    /// handled, for example after a broker restart, the deadline is renewed.
    public nonisolated var deadline: ContinuousClock.Instant? { answer.deadline }
    /// The token that lets a window of the handler come to the front (Wayland, X11); `nil` if there is none.
    public nonisolated let activationToken: String?
    private let answer: PendingAnswer

    init(id: RequestID, url: URLText, context: OpenURLContext, answer: PendingAnswer) {
        self.id = id
        (self.url, scheme) = (url.text, url.scheme)
        source = Source(stated: context.sourceApplication, context.sourceStrength)
        payload = Payload(context)
        annotation = context.annotation
        attempt = context.attempt ?? 1
        activationToken = context.activationToken
        self.answer = answer
    }

    isolated deinit {
        guard !answer.isGiven else { return }
        let message = "the handler released the request without answering"
        answer.give((.failed, HandlerReply(errorCode: "not-answered", errorMessage: message)))
    }

    /// Returns the request to the broker, because the handler has not started on it and accepts no more requests.
    package func handBack() { answer.give(nil) }

    var isAnswered: Bool { answer.isGiven }

    /// The time left until ``deadline``, or zero if it has passed; `nil` if no sender is waiting.
    public nonisolated var timeLeft: Duration? {
        deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }

    /// Answers the request. When this returns, the answer has been sent, unless the socket is full; see
    /// ``Application/close()``.
    /// - Parameters:
    ///   - outcome: the outcome for the sender.
    ///   - items: the reply for the sender, at most 16 MiB in all. Send more on a pasteboard, and reply with its name.
    /// - Throws: `invalidArguments` if the request is already answered; `limitExceeded` if the items are too large, in
    ///   which case the request still waits for an answer.
    public func finish(_ outcome: Answer, replying items: [PasteboardItem] = []) async throws(IPCError) {
        let size = items.byteCount
        let most = Int(Limits().inlineMessageBytes)
        guard size <= most else {
            let excess = LimitExceeded.excess(bytes: UInt64(size), over: UInt64(most))
            throw IPCError(.limitExceeded, "the reply is too large for one message: \(excess)")
        }
        var reply = outcome == .cancelled && isCancelled ? .calledOff : outcome.reply
        if !items.isEmpty { reply.items = try await OutgoingItems.prepare(items, prefersInline: true) }
        guard answer.give((outcome.outcome, reply)) else {
            throw IPCError(.invalidArguments, "the request \(id) was already answered; a request gets only one answer")
        }
    }

    /// Whether the sender cancelled the request or stopped waiting for the answer. If so, stop the work and finish with
    /// ``Answer/cancelled``.
    ///
    /// The broker reports either event. While the broker is away, this becomes true 5 s after the ``deadline``: a
    /// broker that restarts within that time delivers the request again, with a new deadline.
    public var isCancelled: Bool { answer.isCancelled }

    /// Waits until ``isCancelled`` is true.
    /// - Returns: `false` if the request is answered first, or the task is cancelled.
    public func waitUntilCancelled() async -> Bool { await answer.cancellation() }
}

extension OpenURLContext {
    var deadline: ContinuousClock.Instant? {
        timeout.map { ContinuousClock.now.advanced(by: .milliseconds($0)) }
    }
}

extension OpenURLRequest {
    /// The answer of a handler. It can also be thrown in the body of ``handle(_:)``.
    public enum Answer: Error, Sendable, Hashable {
        /// The work is done.
        case handled
        /// The URL is not for this application. The code for programs and the message for people are optional.
        case declined(code: String? = nil, message: String? = nil)
        /// The user or the sender cancelled the request.
        case cancelled
        /// The work failed. The code for programs and the message for people are optional.
        case failed(code: String? = nil, message: String? = nil)

        /// ``declined(code:message:)`` without a reason.
        public static var declined: Answer { .declined() }

        /// The outcome that the sender sees.
        public var outcome: Outcome {
            switch self {
            case .handled: .handled
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: .failed
            }
        }

        fileprivate var reply: HandlerReply {
            switch self {
            case .handled, .cancelled: HandlerReply()
            case .declined(let code, let message), .failed(let code, let message):
                HandlerReply(errorCode: code, errorMessage: message)
            }
        }
    }
}

/// The items that came with a URL, exactly as they were sent, even if the pasteboard has changed since. Values above 64
/// KiB may be files.
public struct Payload: ItemReading, Hashable {
    /// The items in the sender's order; empty if none were sent.
    public let items: [PasteboardItem]
    /// Whether items were sent; true even for an empty list.
    public let isPresent: Bool
    /// The pasteboard that has or had the items; `nil` if they came without one.
    public let pasteboard: PasteboardName?
    /// The change count of the pasteboard version that holds the items; `nil` if they came without one.
    public let changeCount: UInt64?

    init(_ context: OpenURLContext) {
        items = context.items ?? []
        isPresent = context.items != nil
        // The broker sends only valid names.
        (pasteboard, changeCount) = (context.pasteboard.flatMap { try? PasteboardName($0) }, context.changeCount)
    }
}
