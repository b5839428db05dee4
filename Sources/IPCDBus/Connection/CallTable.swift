internal import IPCQueues

/// Calls that are waiting for their answers, by serial number, with their deadlines. One timer, set for the earliest
/// deadline, serves all calls. When it fires, the calls made since it last fired enter the deadline queue. A call that
/// is answered earlier causes no timer work.
@DBusActor
final class CallTable {
    private var pending: [UInt32: PendingReply] = [:]
    /// The calls already in the deadline queue, and the calls that have no deadline.
    private var queued: [UInt32: PendingReply] = [:]
    private var deadlines = DeadlineQueue<PendingReply>()
    private let timer = DBusTimer()
    private let names: NameRegistry?

    /// - Parameter names: the owners of names on the bus; `nil` on a peer-to-peer connection.
    init(names: NameRegistry? = nil) { self.names = names }

    /// Sends a call and waits for its answer. Cancelling the task stops the wait immediately.
    func reply(
        to message: Message, over link: Link, until deadline: ContinuousClock.Instant
    ) async throws(CallError) -> Message {
        guard !Task.isCancelled else { throw .cancelled }
        let serial = try send(message, over: link)
        let reply = expect(serial, from: message.destination, until: deadline)
        let answer = await withTaskCancellationHandler {
            await reply.value()
        } onCancel: {
            Task { @DBusActor [weak self] in self?.complete(serial, with: .failure(.cancelled)) }
        }
        return try answer.get()
    }

    /// Sends a call without a deadline, and passes its answer to a closure.
    func send(
        _ message: Message, over link: Link, then completed: @escaping PendingReply.Completion
    ) throws(CallError) {
        expect(try send(message, over: link), from: message.destination, completed)
    }

    private func send(_ message: Message, over link: Link) throws(CallError) -> UInt32 {
        let serial = link.send(message)
        guard serial == 0 else { return serial }
        guard link.isOpen else { throw .disconnected }
        throw .unsendable(link.carries(message) ? .descriptorUnavailable : .descriptorsNotPassed)
    }

    func receive(_ answer: Message) {
        guard mayAnswer(answer) else { return }
        if let defect = answer.defect {
            complete(answer.replySerial, with: .failure(.badReply(defect.error)))
        } else if answer.kind == .error {
            let error = CallError.remote(name: answer.errorName ?? "", message: answer.errorText)
            complete(answer.replySerial, with: .failure(error))
        } else {
            complete(answer.replySerial, with: .success(answer))
        }
    }

    /// Whether an answer comes from the receiver of the call, or from the bus because the receiver is absent. A session
    /// bus lets any process answer any call (`session.conf`), and serial numbers can be guessed, so all other answers
    /// are ignored. But if the receiver is a well-known name that is not watched (``NameRegistry``), any sender is
    /// accepted; ``Connection/answer(to:on:at:_:timeout:)`` also returns the sender.
    private func mayAnswer(_ message: Message) -> Bool {
        guard let names, let responder = responder(of: message.replySerial) else { return true }
        guard let sender = message.sender else { return false }
        if sender == responder || message.kind == .error && sender == .bus { return true }
        if responder == .bus || responder.isUnique { return false }
        return names.mayAnswer(sender, for: responder) ?? true
    }

    /// Registers a call as soon as it has been sent: its answer may arrive before the caller starts waiting.
    /// - Parameter responder: the receiver of the call; `nil` on a peer-to-peer connection.
    func expect(
        _ serial: UInt32, from responder: BusName?, until deadline: ContinuousClock.Instant
    ) -> PendingReply {
        let reply = PendingReply(serial, from: responder, until: deadline)
        pending[serial] = reply
        arm(deadline)
        return reply
    }

    func expect(_ serial: UInt32, from responder: BusName?, _ completed: @escaping PendingReply.Completion) {
        queued[serial] = PendingReply(serial, from: responder, completed)
    }

    func responder(of serial: UInt32) -> BusName? { (pending[serial] ?? queued[serial])?.responder }

    func awaits(_ serial: UInt32) -> Bool { pending[serial] != nil || queued[serial] != nil }

    /// Completes the call `serial`, unless it is already complete.
    func complete(_ serial: UInt32, with result: Result<Message, CallError>) {
        guard let reply = pending.removeValue(forKey: serial) ?? queued.removeValue(forKey: serial) else { return }
        deadlines.remove(reply)
        reply.complete(result)
    }

    /// Fails a call after the current job, because the call may not be registered yet while its message is being sent.
    func failSoon(_ serial: UInt32, _ error: CallError) {
        DBusActor.thread.soon { [weak self] in self?.complete(serial, with: .failure(error)) }
    }

    func failAll(_ error: CallError) {
        let all = pending.merging(queued) { reply, _ in reply }
        (pending, queued, deadlines) = ([:], [:], DeadlineQueue())
        for reply in all.values { reply.complete(.failure(error)) }
    }

    private func arm(_ deadline: ContinuousClock.Instant) {
        if let set = timer.deadline, set <= deadline { return }
        timer.set(at: deadline) { [weak self] in self?.expire() }
    }

    private func expire() {
        enqueueNew()
        let now = ContinuousClock.now
        for _ in 0..<Slices.size {
            guard let reply = deadlines.takeDue(at: now) else { break }
            queued[reply.serial] = nil
            reply.complete(.failure(.timedOut))
        }
        if let next = deadlines.first { arm(next) }
    }

    private func enqueueNew() {
        for (serial, reply) in pending {
            queued[serial] = reply
            if let deadline = reply.deadline { deadlines.insert(reply, at: deadline) }
        }
        pending.removeAll(keepingCapacity: true)
    }
}

/// The pending answer to one call. Either a closure or a single waiting task receives it.
@DBusActor
final class PendingReply: @DBusActor Deadlined {
    typealias Completion = @DBusActor (Result<Message, CallError>) -> Void

    let serial: UInt32
    let responder: BusName?
    let deadline: ContinuousClock.Instant?
    var deadlineIndex = -1
    private let completed: Completion?
    private var result: Result<Message, CallError>?
    private var waiting: CheckedContinuation<Result<Message, CallError>, Never>?

    init(
        _ serial: UInt32, from responder: BusName?, until deadline: ContinuousClock.Instant? = nil,
        _ completed: Completion? = nil
    ) {
        (self.serial, self.responder, self.deadline, self.completed) = (serial, responder, deadline, completed)
    }

    func complete(_ result: Result<Message, CallError>) {
        if let completed { return completed(result) }
        self.result = result
        waiting?.resume(returning: result)
        waiting = nil
    }

    func value() async -> Result<Message, CallError> {
        if let result { return result }
        return await withCheckedContinuation { continuation in
            // The answer may have arrived in the meantime, because calling `withCheckedContinuation` may suspend.
            if let result { continuation.resume(returning: result) } else { waiting = continuation }
        }
    }
}
