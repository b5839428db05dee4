internal import IPCDBus
internal import IPCInterface
private import Synchronization

/// The pending answer to a delivered request. It is given once: by the handler, or when the request is released.
@DBusActor
final class PendingAnswer {
    typealias Content = (String, HandlerReply)
    typealias Send = DelayedAnswer<Content>
    /// The answer; `nil` returns the request to the broker's queue, because its handling has not started.
    typealias Given = (outcome: Outcome, reply: HandlerReply)?

    private var calls: [Send]
    private let ended: @DBusActor (Given) -> Void
    private(set) var isGiven = false
    private var isCalledOff = false
    private let lastDeadline: Mutex<ContinuousClock.Instant?>
    private let patience: Duration
    /// Cancels the request once the deadline and `patience` have passed; set when a task waits in ``cancellation()``.
    private var overdue: DBusTimer?
    private let watchers = WaitingTasks<Bool>()

    /// - Parameters:
    ///   - call: sends the answer.
    ///   - deadline: when the sender stops waiting; `nil` if no sender is waiting.
    ///   - patience: the time from the deadline until the request counts as cancelled while the broker is away. A
    ///     running broker reports the deadline; a restarted one delivers the request again, which renews the deadline.
    ///   - ended: runs after the answer was sent.
    init(
        _ call: @escaping Send, until deadline: ContinuousClock.Instant?, patience: Duration,
        ended: @escaping @DBusActor (Given) -> Void
    ) {
        calls = [call]
        lastDeadline = Mutex(deadline)
        self.patience = patience
        self.ended = ended
    }

    /// Adds another call that delivers the same request and gets the same answer, and renews the deadline.
    func also(_ call: @escaping Send, until deadline: ContinuousClock.Instant?) {
        calls.append(call)
        lastDeadline.withLock { $0 = deadline }
        if !watchers.isEmpty { watchDeadline() }
    }

    /// When the sender stops waiting, according to the last delivery.
    nonisolated var deadline: ContinuousClock.Instant? { lastDeadline.withLock(\.self) }

    /// Whether the sender cancelled the request or stopped waiting.
    var isCancelled: Bool { isCalledOff || giveUp.map { $0 <= .now } ?? false }

    private var giveUp: ContinuousClock.Instant? { deadline?.advanced(by: patience) }

    private func watchDeadline() {
        overdue = giveUp.map { giveUp in
            let timer = DBusTimer()
            timer.set(at: giveUp) { [weak self] in self?.cancel() }
            return timer
        }
    }

    /// Sends the answer. Returns `false` if there already is an answer, which stands.
    @discardableResult
    func give(_ answer: Given) -> Bool {
        guard !isGiven else { return false }
        isGiven = true
        let result: Result<Content, any Error> =
            answer.map { .success(($0.outcome.rawValue, $0.reply)) } ?? .failure(ErrorReply.handedBack)
        for call in calls { call(result) }
        calls = []
        overdue = nil
        ended(answer)
        watchers.resumeAll(with: false)
        return true
    }

    func cancel() {
        guard !isGiven else { return }
        isCalledOff = true
        watchers.resumeAll(with: true)
    }

    /// Waits until the request is cancelled. Returns `false` if it is answered first, or the task is cancelled.
    func cancellation() async -> Bool {
        guard !isCancelled, !isGiven, !Task.isCancelled else { return isCancelled }
        if watchers.isEmpty { watchDeadline() }
        return await watchers.wait(
            unless: { isCancelled || isGiven ? isCancelled : nil }, ifCancelled: { self.isCancelled })
    }
}

extension ErrorReply {
    /// The answer for a request that the handler returns without having started on it.
    static let handedBack = IPCError(
        .handlerUnavailable, "the application no longer accepts requests, and has not started on this one"
    ).errorReply
}
