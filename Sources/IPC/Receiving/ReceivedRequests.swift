internal import IPCDBus
internal import IPCInterface

/// The received requests, from their delivery to their answer. They wait here until a consumer takes them. Their number
/// is limited, because the broker delivers no more than the registered window allows.
@DBusActor
final class ReceivedRequests {
    private typealias Next = Result<OpenURLRequest?, IPCError>

    private var waiting: [OpenURLRequest] = []
    private let consumers = WaitingTasks<Next>()
    /// The result that consumers get after the sequence has finished; `nil` while it is running.
    private var ended: Next?
    private var unanswered: [String: PendingAnswer] = [:]
    private var memory = AnswerMemory()
    /// The number of unanswered URLs from `org.freedesktop.Application.Open`.
    var opened = 0
    let callbacks: CallbackSender
    /// The time from a request's deadline until the request counts as cancelled.
    var patience = BrokerLink.absence

    init(_ link: BrokerLink) { callbacks = CallbackSender(link) }

    /// Accepts a request, or repeats the answer that the handler already gave.
    func take(_ id: String, _ url: String, _ context: OpenURLContext, _ answer: @escaping PendingAnswer.Send) {
        // After a restart, the broker redelivers requests that are still being handled. Handle them only once.
        if let pending = unanswered[id] { return pending.also(answer, until: context.deadline) }
        if let given = memory.answer(to: id, url) { return answer(.success(given)) }
        let (name, text): (RequestID, URLText)
        do throws(IPCError) {
            (name, text) = (try RequestID(id), try URLText(url))
            try IncomingValues.checkFiles(context.items ?? [])
        } catch {
            return answer(.failure(error.errorReply))
        }
        guard ended == nil else { return answer(.failure(ErrorReply.handedBack)) }
        let pending = PendingAnswer(answer, until: context.deadline, patience: patience) { [weak self] given in
            self?.unanswered[id] = nil
            guard let self, let (outcome, reply) = given else { return }
            self.memory.keep((outcome.rawValue, reply), to: id, url)
            self.callbacks.answered(name, url, outcome, reply)
        }
        unanswered[id] = pending
        let request = OpenURLRequest(id: name, url: text, context: context, answer: pending)
        if !consumers.resumeFirst(with: .success(request)) { waiting.append(request) }
    }

    /// Cancels a request on behalf of its sender. If no consumer has taken the request, answers it at once.
    func cancel(_ id: String) {
        unanswered[id]?.cancel()
        guard let place = waiting.firstIndex(where: { $0.id.text == id }) else { return }
        // Answer the request before it is released, because its release would answer it as `failed`.
        unanswered[id]?.give((.cancelled, .calledOff))
        waiting.remove(at: place)
    }

    /// Returns the next request to the consumer that asked first; `nil` at the end, or if the task is cancelled.
    func next() async throws(IPCError) -> OpenURLRequest? {
        if let next = takeNext() { return try next.get() }
        guard !Task.isCancelled else { return nil }
        return try await consumers.wait(unless: { takeNext() }, ifCancelled: { .success(nil) }).get()
    }

    private func takeNext() -> Next? { waiting.isEmpty ? ended : .success(waiting.removeFirst()) }

    func begin() { ended = nil }

    /// Finishes the sequence ``Application/openURLs``. Requests that no consumer has taken return to the broker.
    func end(with error: IPCError?) {
        guard ended == nil else { return }
        let end: Next = error.map { .failure($0) } ?? .success(nil)
        ended = end
        for request in waiting { request.handBack() }
        waiting = []
        consumers.resumeAll(with: end)
    }
}

extension HandlerReply {
    static let calledOff = HandlerReply(errorCode: Outcome.calledOffCode)

    init(errorCode: String?, errorMessage: String? = nil) {
        self.init()
        (self.errorCode, self.errorMessage) = (errorCode, errorMessage)
    }
}
