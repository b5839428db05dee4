internal import IPCDBus
internal import IPCInterface

/// What the broker has delivered, from the first look at it to the answer.
@DBusActor
final class Deliveries {
    private(set) var inbox = RequestInbox()
    private var unanswered: [String: PendingAnswer] = [:]
    private var memory = AnswerMemory()
    /// How many URLs that the broker has not delivered wait for their answers.
    var opened = 0
    let callbacks: CallbackSender
    /// How long after its deadline a request counts as called off by itself.
    var patience = BrokerLink.absence

    init(_ link: BrokerLink) { callbacks = CallbackSender(link) }

    /// Takes a request in, or answers for the receiver what it has said before.
    func take(_ id: String, _ url: String, _ context: OpenURLContext, _ answer: @escaping PendingAnswer.Send) {
        // A broker that was started again asks again for what is being done already: one work, one answer.
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

    /// The sender calls a request off. What nobody has looked at is not begun any more.
    func cancel(_ id: String) {
        unanswered[id]?.cancel()
        guard let request = inbox.remove(id) else { return }
        // Before the request is let go, which would be an answer too.
        withExtendedLifetime(request) { _ = unanswered[id]?.give(.cancelled, .calledOff) }
    }

    /// Nothing is given to consumers from now on; what they have stays with them.
    func end(with error: IPCError?) { inbox.end(with: error) }

    /// Takes requests again after an end.
    func begin() { inbox = RequestInbox() }
}

extension HandlerReply {
    /// Of a request that its sender has called off.
    static var calledOff: HandlerReply {
        var reply = HandlerReply()
        reply.errorCode = Outcome.calledOffCode
        return reply
    }
}
