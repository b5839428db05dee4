internal import IPCDBus
internal import IPCInterface

/// The requests of this process, from their delivery to their answer.
@DBusActor
final class Deliveries {
    private var inbox = RequestInbox()
    private var unanswered: [String: PendingAnswer] = [:]
    private var memory = AnswerMemory()
    /// The count of URLs without an answer that came by `org.freedesktop.Application.Open`.
    var opened = 0
    let callbacks: CallbackSender
    /// The time after its deadline at which a request counts as cancelled.
    var patience = BrokerLink.absence

    init(_ link: BrokerLink) { callbacks = CallbackSender(link) }

    /// Takes a request, or repeats the answer that its receiver gave before.
    func take(_ id: String, _ url: String, _ context: OpenURLContext, _ answer: @escaping PendingAnswer.Send) {
        // A broker that was started again delivers a request again while it is being handled: one work, one answer.
        if let pending = unanswered[id] { return pending.also(answer, until: context.deadline) }
        if let given = memory.answer(to: id, url) { return answer(.success(given)) }
        do throws(IPCError) { try IncomingValues.checkFiles(context.items ?? []) } catch {
            return answer(.failure(error.errorReply))
        }
        let pending = PendingAnswer(answer, until: context.deadline, patience: patience) { [weak self] end in
            self?.ended(id, url, end)
        }
        unanswered[id] = pending
        inbox.add(OpenURLRequest(id: id, url: url, context: context, answer: pending))
    }

    private func ended(_ id: String, _ url: String, _ end: PendingAnswer.End) {
        unanswered[id] = nil
        guard case .given(let outcome, let reply) = end else { return }
        memory.keep((outcome.rawValue, reply), to: id, url)
        callbacks.answered(id, url, outcome, reply)
    }

    /// Cancels a request for its sender. A request that no consumer has taken is not begun.
    func cancel(_ id: String) {
        unanswered[id]?.cancel()
        guard let request = inbox.remove(id) else { return }
        // Before the request is released, which would be an answer too.
        withExtendedLifetime(request) { _ = unanswered[id]?.give(.cancelled, .calledOff) }
    }

    /// Gives consumers no more requests; they keep those that they have.
    func end(with error: IPCError?) { inbox.end(with: error) }

    /// The next request, for a consumer.
    func next() async throws(IPCError) -> OpenURLRequest? { try await inbox.next() }

    /// Takes requests again after an end.
    func begin() { inbox = RequestInbox() }
}

extension HandlerReply {
    /// The reply to a request that its sender has cancelled.
    static var calledOff: HandlerReply {
        var reply = HandlerReply()
        reply.errorCode = Outcome.calledOffCode
        return reply
    }
}
