public import IPCDBus
internal import IPCInterface

/// A request to open a URL, as its receiver sees it.
///
/// It gets exactly one answer: the first ``finish(_:replying:)``, or `failed` when the request is let go without one.
/// The answer acknowledges, so give it after the work. After a crash the same request may come again, with the same
/// ``id`` and a higher ``attempt``.
@DBusActor
public final class OpenURLRequest {
    /// The request's id, the same in every attempt.
    public nonisolated let id: String
    /// The URL, byte for byte as its sender wrote it. Compare its scheme without case (RFC 3986 §3.1).
    public nonisolated let url: String
    /// Who asks, and how far that can be trusted; decide on ``IPCModel/SourceStrength/owned`` only.
    public nonisolated let source: Source
    /// What was sent with the URL.
    public nonisolated let payload: Payload
    /// One more value from the sender, outside the payload.
    public nonisolated let annotation: Value?
    /// 1 for the first delivery. Above: it came before and was not answered; it may have been done.
    public nonisolated let attempt: UInt32
    /// When the sender is told that nobody answered in time; `nil` where nobody waits. It is renewed when the request comes
    /// again while it is in hand, as after a restart of the broker.
    public nonisolated var deadline: ContinuousClock.Instant? { answer.deadline }
    /// The token by which a window of the receiver may come to the front (Wayland, X11).
    public nonisolated let activationToken: String?
    private let answer: PendingAnswer

    init(id: String, url: String, context: OpenURLContext, answer: PendingAnswer) {
        self.id = id
        self.url = url
        source = Source(stated: context.sourceApplication, context.sourceStrength)
        payload = Payload(context)
        annotation = context.annotation
        attempt = context.attempt ?? 1
        activationToken = context.activationToken
        self.answer = answer
    }

    isolated deinit { letGo() }

    /// Answers for a receiver that will not.
    func letGo() {
        guard !answer.isGiven else { return }
        var reply = HandlerReply()
        reply.errorCode = "not-answered"
        reply.errorMessage = "the receiver let the request go without an answer"
        answer.give(.failed, reply)
    }

    /// Gives it back to the broker, for a receiver that has done nothing for it, and takes no more.
    package func handBack() { answer.handBack() }

    /// Whether it has its answer.
    var isAnswered: Bool { answer.isGiven }

    /// What is left until ``deadline``, zero when it has passed; `nil` where nobody waits.
    public nonisolated var timeLeft: Duration? {
        deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }

    /// Answers the request. The answer has left when this returns, unless the socket is full; see
    /// ``Application/close()``.
    /// - Parameters:
    ///   - outcome: what became of it.
    ///   - items: what the sender gets back, at most 16 MiB in all; what is larger goes by a pasteboard, and its name in the
    ///     reply.
    /// - Throws: `invalidArguments` if the request was answered before; `limitExceeded` if the items are too large,
    ///   and the request then still waits for an answer.
    public func finish(_ outcome: Answer, replying items: [PasteboardItem] = []) async throws(IPCError) {
        let size = items.reduce(0) { $0 + $1.byteCount }
        let most = Int(Limits().inlineMessageBytes)
        guard size <= most else {
            throw IPCError(.limitExceeded, "the reply has \(size) bytes; at most \(most) are allowed in one message")
        }
        var reply = outcome == .cancelled && isCancelled ? .calledOff : outcome.reply
        if !items.isEmpty { reply.items = try await OutgoingItems.prepare(items, prefersInline: true) }
        guard answer.give(outcome.outcome, reply) else {
            throw IPCError(.invalidArguments, "the request \(id) was answered before; a request has one answer")
        }
    }

    /// Whether the sender has called the request off, or has not got its answer in time. Stop, and finish with
    /// ``Answer/cancelled``.
    ///
    /// The broker tells both. Where it is away, ``deadline`` counts, 5 s later: a broker that is started again within that time
    /// delivers the request again, with a new deadline.
    public var isCancelled: Bool { answer.isCancelled }

    /// Waits until the sender calls the request off, or no longer waits for the answer; see ``isCancelled``.
    /// - Returns: true when it does; false when the request was answered first, or the task was cancelled.
    public func cancellation() async -> Bool { await answer.cancellation() }
}

extension OpenURLContext {
    /// Until when the sender waits, from now on; `nil` where nobody does.
    var deadline: ContinuousClock.Instant? {
        timeout.map { ContinuousClock.now.advanced(by: .milliseconds($0)) }
    }
}

extension OpenURLRequest {
    /// How a receiver answers; thrown in the body of ``handle(_:)``, it is the answer.
    public enum Answer: Error, Sendable, Hashable {
        /// Done.
        case handled
        /// Not for this application.
        case declined
        /// Called off, by the user or by the sender.
        case cancelled
        /// Tried, and did not work: a word for programs and a sentence for people.
        case failed(code: String? = nil, message: String? = nil)

        /// The outcome that the sender sees.
        public var outcome: Outcome {
            switch self {
            case .handled: .handled
            case .declined: .declined
            case .cancelled: .cancelled
            case .failed: .failed
            }
        }

        var reply: HandlerReply {
            var reply = HandlerReply()
            if case .failed(let code, let message) = self {
                reply.errorCode = code
                reply.errorMessage = message
            }
            return reply
        }
    }
}

/// What was sent with a URL: exactly these items, whatever became of the pasteboard since. Values above 64 KiB may be
/// files.
public struct Payload: ItemReading, Hashable {
    /// The items in the sender's order; none where nothing was sent.
    public let items: [PasteboardItem]
    /// Whether anything was sent, be it an empty list of items.
    public let isPresent: Bool
    /// The pasteboard on which the items are, or were; `nil` where they came without one.
    public let pasteboard: String?
    /// The version of the pasteboard that holds them.
    public let changeCount: UInt64?

    init(_ context: OpenURLContext) {
        items = context.items ?? []
        isPresent = context.items != nil
        (pasteboard, changeCount) = (context.pasteboard, context.changeCount)
    }
}
