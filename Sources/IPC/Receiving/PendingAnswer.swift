internal import IPCDBus
internal import IPCInterface

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
    private(set) var isCancelled = false
    private var watchers: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    private var last: UInt64 = 0

    /// - Parameters:
    ///   - call: sends the answer.
    ///   - ended: runs after the answer was sent.
    init(_ call: @escaping Send, ended: @escaping @DBusActor (End) -> Void) {
        calls = [call]
        self.ended = ended
    }

    /// Another call that gets the same answer.
    func also(_ call: @escaping Send) { calls.append(call) }

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
        ended(end)
        wake(with: false)
        return true
    }

    /// The sender does not want the request done any more.
    func cancel() {
        guard !isGiven else { return }
        isCancelled = true
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
