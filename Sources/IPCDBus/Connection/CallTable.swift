/// Calls that wait for their answers, by serial, with their deadlines.
///
/// One timer serves them all: it is set for the earliest deadline and moved only when it fires, so a call that is
/// answered in time costs no timer work.
@DBusActor
final class CallTable {
    private var pending: [UInt32: (reply: PendingReply, responder: BusName?)] = [:]
    private var timer: (number: UInt64, deadline: ContinuousClock.Instant)?

    isolated deinit { if let timer { DBusActor.thread.cancel(timer.number) } }

    /// Expects the answer to a call from now on: it may come before anybody waits for it.
    /// - Parameter responder: to whom the call went; `nil` peer to peer.
    func expect(_ serial: UInt32, from responder: BusName?, timeout: Duration) -> PendingReply {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let reply = PendingReply(deadline: deadline)
        pending[serial] = (reply, responder)
        arm(deadline)
        return reply
    }

    /// Hands the answer to a call to a closure, however long it takes.
    func expect(_ serial: UInt32, from responder: BusName?, _ completed: @escaping PendingReply.Completion) {
        pending[serial] = (PendingReply(completed), responder)
    }

    /// To whom a call went that has not ended.
    func responder(of serial: UInt32) -> BusName? { pending[serial]?.responder }

    /// Ends the call `serial`; a call that has already ended stays as it ended.
    func complete(_ serial: UInt32, with result: Result<Message, CallError>) {
        pending.removeValue(forKey: serial)?.reply.complete(result)
    }

    func failAll(_ error: CallError) {
        let all = pending
        pending = [:]
        for call in all.values { call.reply.complete(.failure(error)) }
    }

    private func arm(_ deadline: ContinuousClock.Instant) {
        if let timer {
            guard deadline < timer.deadline else { return }
            DBusActor.thread.cancel(timer.number)
        }
        let number = DBusActor.thread.schedule(at: deadline) { [weak self] in
            DBusActor.assumeIsolated { self?.expire() }
        }
        timer = (number, deadline)
    }

    private func expire() {
        timer = nil
        let now = ContinuousClock.now
        let late = pending.filter { $0.value.reply.deadline.map { $0 <= now } ?? false }
        for serial in late.keys { complete(serial, with: .failure(.timedOut)) }
        if let next = pending.values.compactMap(\.reply.deadline).min() { arm(next) }
    }
}

/// The answer to one call, for the one task that waits for it, or for a closure.
@DBusActor
final class PendingReply {
    typealias Completion = @DBusActor (Result<Message, CallError>) -> Void

    let deadline: ContinuousClock.Instant?
    private let completed: Completion?
    private var result: Result<Message, CallError>?
    private var waiting: CheckedContinuation<Result<Message, CallError>, Never>?

    init(deadline: ContinuousClock.Instant) { (self.deadline, completed) = (deadline, nil) }

    init(_ completed: @escaping Completion) { (deadline, self.completed) = (nil, completed) }

    func complete(_ result: Result<Message, CallError>) {
        if let completed { return completed(result) }
        self.result = result
        waiting?.resume(returning: result)
        waiting = nil
    }

    func value() async -> Result<Message, CallError> {
        if let result { return result }
        return await withCheckedContinuation { continuation in
            // The way here may have been a suspension of its own.
            if let result { continuation.resume(returning: result) } else { waiting = continuation }
        }
    }
}
