public import IPCDBus
internal import IPCInterface

/// A request to open a URL, as its handler sees it.
///
/// It gets one answer: the first ``finish(_:replying:)``, or `failed` when it is released without one. The answer
/// acknowledges the request, so give it after the work. After a crash, the same request may be delivered again, with
/// the same ``id`` and a higher ``attempt``.
@DBusActor
public final class OpenURLRequest {
    /// The request's id, the same in every attempt.
    public nonisolated let id: RequestID
    /// The URL, byte for byte as its sender wrote it. ``scheme``, ``host``, ``path`` and ``parameters`` are its parts.
    public nonisolated let url: String
    /// The scheme of ``url``; two schemes are equal without regard to case (RFC 3986 §3.1).
    public nonisolated let scheme: URLScheme
    /// The sender, and how far its id can be trusted; decide on ``IPCModel/SourceStrength/owned`` only.
    public nonisolated let source: Source
    /// The items that came with the URL.
    public nonisolated let payload: Payload
    /// One more value from the sender, outside the payload.
    public nonisolated let annotation: Value?
    /// 1 for the first delivery. A greater number means that an earlier delivery was not answered; the work may be
    /// done.
    public nonisolated let attempt: UInt32
    /// When the sender gets a time-out; `nil` if no sender waits. A new delivery of a request that is being handled
    /// renews it, as after a restart of the broker.
    public nonisolated var deadline: ContinuousClock.Instant? { answer.deadline }
    /// The token that lets a window of the handler come to the front (Wayland, X11).
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
        let message = "the handler let the request go without an answer"
        answer.give((.failed, HandlerReply(errorCode: "not-answered", errorMessage: message)))
    }

    /// Returns the request to the broker, for a handler that has not begun it and takes no more.
    package func handBack() { answer.give(nil) }

    var isAnswered: Bool { answer.isGiven }

    /// The time until ``deadline``, zero when it has passed; `nil` if no sender waits.
    public nonisolated var timeLeft: Duration? {
        deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }

    /// Answers the request. The answer has left when this returns, unless the socket is full; see
    /// ``Application/close()``.
    /// - Parameters:
    ///   - outcome: the outcome for the sender.
    ///   - items: the reply for the sender, at most 16 MiB in all; send more on a pasteboard, and reply with its name.
    /// - Throws: `invalidArguments` if the request was answered before; `limitExceeded` if the items are too large, and
    ///   the request then still waits for an answer.
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
            throw IPCError(.invalidArguments, "the request \(id) was answered before; a request has one answer")
        }
    }

    /// Whether the sender has cancelled the request, or has not got its answer in time. Stop, and finish with
    /// ``Answer/cancelled``.
    ///
    /// The broker reports both. While it is away, this is true 5 s after the ``deadline``: a broker that restarts
    /// within that time delivers the request again, with a new deadline.
    public var isCancelled: Bool { answer.isCancelled }

    /// Waits until ``isCancelled`` is true.
    /// - Returns: false if the request is answered first, or the task is cancelled.
    public func waitUntilCancelled() async -> Bool { await answer.cancellation() }
}

extension OpenURLContext {
    var deadline: ContinuousClock.Instant? {
        timeout.map { ContinuousClock.now.advanced(by: .milliseconds($0)) }
    }
}

extension OpenURLRequest {
    /// The answer of a handler; it can be thrown in the body of ``handle(_:)``.
    public enum Answer: Error, Sendable, Hashable {
        /// The work is done.
        case handled
        /// The URL is not for this application: a word for programs and a sentence for people, or neither.
        case declined(code: String? = nil, message: String? = nil)
        /// The user or the sender cancelled it.
        case cancelled
        /// The work failed: a word for programs and a sentence for people.
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

/// The items that came with a URL, exactly as they were sent, whatever has happened to the pasteboard since. Values
/// above 64 KiB may be files.
public struct Payload: ItemReading, Hashable {
    /// The items in the sender's order; empty if none were sent.
    public let items: [PasteboardItem]
    /// Whether items were sent, also an empty list.
    public let isPresent: Bool
    /// The pasteboard that has or had the items; `nil` if they came without one.
    public let pasteboard: PasteboardName?
    /// The version of the pasteboard that holds them.
    public let changeCount: UInt64?

    init(_ context: OpenURLContext) {
        items = context.items ?? []
        isPresent = context.items != nil
        // A name that the broker sends was checked by it.
        (pasteboard, changeCount) = (context.pasteboard.flatMap { try? PasteboardName($0) }, context.changeCount)
    }
}
