internal import IPCDBus
internal import IPCInterface
private import Synchronization

/// The answer that a delivered request waits for: given once, by its receiver or by its release.
@DBusActor
final class PendingAnswer {
    typealias Content = (String, HandlerReply)
    typealias Send = DelayedAnswer<Content>

    /// The end of the wait.
    enum End {
        case given(Outcome, HandlerReply)
        /// No consumer has taken the request; the broker puts it back in its place.
        case handedBack
    }

    private var calls: [Send]
    private let ended: @DBusActor (End) -> Void
    private(set) var isGiven = false
    private var isCalledOff = false
    private let lastDeadline: Mutex<ContinuousClock.Instant?>
    private let patience: Duration
    /// Runs while a watcher waits for the cancellation.
    private var overdue: DBusTimer?
    private let watchers = WaitingTasks<Bool>()

    /// - Parameters:
    ///   - call: sends the answer.
    ///   - deadline: until when its sender waits; `nil` if no sender waits.
    ///   - patience: the time after the deadline at which it counts as cancelled. The broker reports a deadline that has
    ///     passed; a broker that is being started again delivers the request again, which renews its deadline.
    ///   - ended: runs after the answer was sent.
    init(
        _ call: @escaping Send, until deadline: ContinuousClock.Instant?, patience: Duration,
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

    /// Whether its sender has cancelled the request, or has stopped waiting.
    var isCancelled: Bool { isCalledOff || giveUp.map { $0 <= .now } ?? false }

    /// When it counts as cancelled.
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

    /// Hands the request back to the broker, for a receiver that has not begun it.
    func handBack() { end(.handedBack, .failure(ErrorReply.handedBack)) }

    @discardableResult
    private func end(_ end: End, _ answer: Result<Content, any Error>) -> Bool {
        guard !isGiven else { return false }
        isGiven = true
        for call in calls { call(answer) }
        calls = []
        overdue = nil
        ended(end)
        watchers.resumeAll(with: false)
        return true
    }

    /// Reports that the sender has cancelled the request.
    func cancel() {
        guard !isGiven else { return }
        isCalledOff = true
        watchers.resumeAll(with: true)
    }

    /// Waits until the request is cancelled.
    /// - Returns: false if it is answered first, or the task is cancelled.
    func cancellation() async -> Bool {
        guard !isCancelled, !isGiven, !Task.isCancelled else { return isCancelled }
        if watchers.isEmpty { watchDeadline() }
        return await watchers.wait(
            unless: { isCancelled || isGiven ? isCancelled : nil }, ifCancelled: { self.isCancelled })
    }
}

extension ErrorReply {
    /// The answer of a handler that has not begun a request.
    static let handedBack = IPCError(
        .handlerUnavailable, "the application takes no requests any more, and has not looked at this one"
    ).errorReply
}
