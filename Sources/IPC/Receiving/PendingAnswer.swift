internal import IPCDBus
internal import IPCInterface
private import Synchronization

/// The answer that a delivered request waits for: given once, by its receiver or by its release.
@DBusActor
final class PendingAnswer {
    typealias Content = (String, HandlerReply)
    typealias Send = DelayedAnswer<Content>

    /// How it comes to rest.
    enum End {
        case given(Outcome, HandlerReply)
        /// Nobody has looked at the request; the broker puts it back in its place.
        case handedBack
    }

    private var calls: [Send]
    private let ended: @DBusActor (End) -> Void
    private(set) var isGiven = false
    private var isCalledOff = false
    private let lastDeadline: Mutex<ContinuousClock.Instant?>
    private let patience: Duration
    /// Runs while somebody waits to hear that nobody waits for the answer.
    private var overdue: DBusTimer?
    private var watchers: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    private var last: UInt64 = 0

    /// - Parameters:
    ///   - call: sends the answer.
    ///   - deadline: until when its sender waits; `nil` where nobody does.
    ///   - patience: how long after that it counts as called off by itself. The broker tells when a deadline has passed; one
    ///     that is being started again meanwhile delivers the request again, which renews its deadline.
    ///   - ended: runs after the answer was sent.
    init(
        _ call: @escaping Send, until deadline: ContinuousClock.Instant? = nil, patience: Duration = BrokerLink.absence,
        ended: @escaping @DBusActor (End) -> Void
    ) {
        calls = [call]
        lastDeadline = Mutex(deadline)
        self.patience = patience
        self.ended = ended
    }

    /// Another call that gets the same answer, and renews the deadline.
    func also(_ call: @escaping Send, until deadline: ContinuousClock.Instant?) {
        calls.append(call)
        lastDeadline.withLock { $0 = deadline }
        if !watchers.isEmpty { watchDeadline() }
    }

    /// Until when its sender waits, as the last delivery has it.
    nonisolated var deadline: ContinuousClock.Instant? { lastDeadline.withLock(\.self) }

    /// Whether its sender does not want the request done any more, or has stopped waiting.
    var isCancelled: Bool { isCalledOff || giveUp.map { $0 <= .now } ?? false }

    /// When it counts as called off by itself.
    private var giveUp: ContinuousClock.Instant? { deadline?.advanced(by: patience) }

    private func watchDeadline() {
        overdue = giveUp.map { giveUp in
            let timer = DBusTimer()
            timer.set(at: giveUp) { [weak self] in self?.cancel() }
            return timer
        }
    }

    /// Sends the answer.
    /// - Returns: false if an answer was given before; it stays as it is.
    @discardableResult
    func give(_ outcome: Outcome, _ reply: HandlerReply) -> Bool {
        end(.given(outcome, reply), .success((outcome.rawValue, reply)))
    }

    /// Gives the request back to the broker, for a receiver that has not looked at it.
    func handBack() { end(.handedBack, .failure(ErrorReply.handedBack)) }

    @discardableResult
    private func end(_ end: End, _ answer: Result<Content, any Error>) -> Bool {
        guard !isGiven else { return false }
        isGiven = true
        for call in calls { call(answer) }
        calls = []
        overdue = nil
        ended(end)
        wake(with: false)
        return true
    }

    /// The sender does not want the request done any more.
    func cancel() {
        guard !isGiven else { return }
        isCalledOff = true
        wake(with: true)
    }

    /// Whether the request is called off: true as soon as it is, false when it is answered or the task is cancelled.
    func cancellation() async -> Bool {
        guard !isCancelled, !isGiven, !Task.isCancelled else { return isCancelled }
        last += 1
        let number = last
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The way here may have been a suspension of its own.
                if isCancelled || isGiven {
                    continuation.resume(returning: isCancelled)
                } else {
                    watchers[number] = continuation
                    if watchers.count == 1 { watchDeadline() }
                }
            }
        } onCancel: {
            Task { @DBusActor in self.watchers.removeValue(forKey: number)?.resume(returning: self.isCancelled) }
        }
    }

    private func wake(with isCancelled: Bool) {
        let all = watchers
        watchers = [:]
        for watcher in all.values { watcher.resume(returning: isCancelled) }
    }
}

extension ErrorReply {
    /// What a handler answers that has not looked at a request.
    static let handedBack = IPCError(
        .handlerUnavailable, "the application takes no requests any more, and has not looked at this one"
    ).errorReply
}
