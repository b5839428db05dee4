internal import IPCDBus
internal import IPCInterface

/// Queries the broker about requests. Any connection can look up a request by its id, wait for it and cancel it.
@DBusActor
final class RequestQueries {
    private let link: BrokerLink
    private var subscription: Subscription?
    private var listeners: Set<AsyncStream<RequestCompletion>.Continuation> = []

    init(_ link: BrokerLink) { self.link = link }

    func record(of id: RequestID) async throws(IPCError) -> RequestInfo {
        var options = GetRequestOptions()
        options.fd = link.takesDescriptors
        return try RequestInfo(try await link.call(URLs1.getRequest, (id.text, options), repeatable: true))
    }

    /// - Parameter state: a state or an outcome, as the word on the wire; `nil` means all.
    nonisolated func list(
        _ state: String?, _ application: ApplicationID?,
        where isWanted: @escaping @Sendable (RequestInfo) -> Bool = { _ in true }
    ) -> Listing<RequestInfo> {
        Listing(where: isWanted) { after throws(IPCError) in
            var options = ListRequestsOptions()
            (options.after, options.state, options.application) = (after?.id.text, state, application?.text)
            let rows = try await self.link.call(URLs1.listRequests, options, repeatable: true)
            return try rows.map { (facts) throws(IPCError) in try RequestInfo(facts) }
        }
    }

    nonisolated func list(_ outcome: Outcome, _ application: ApplicationID?) -> Listing<RequestInfo> {
        // To the broker, the word `delivered` means the state, not the outcome, so filter the ended requests here.
        guard outcome == .delivered else { return list(outcome.rawValue, application) }
        return list(RequestState.ended.rawValue, application) { $0.outcome == .delivered }
    }

    func end(of id: RequestID, within timeout: Duration? = nil) async throws(IPCError) -> OpenURLResponse {
        let deadline = timeout.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? BrokerLink.question
            var options = WaitRequestOptions()
            options.timeout = min(left, BrokerLink.question).wireMilliseconds
            options.fd = link.takesDescriptors
            let result = try await link.call(
                URLs1.waitRequest, (id.text, options), timeout: BrokerLink.questionTimeout, repeatable: true)
            let response = try OpenURLResponse(result)
            if response.outcome.isEnd { return response }
            if let deadline, ContinuousClock.now >= deadline { return response }
        }
    }

    func cancel(_ id: RequestID) async throws(IPCError) {
        try await link.call(URLs1.cancelRequest, (id.text, NoOptions()), repeatable: true)
    }

    func retry(_ id: RequestID, as newID: RequestID?) async throws(IPCError) -> RequestID {
        var options = RetryRequestOptions()
        options.id = newID?.text ?? link.repetitionID()
        let new = try await link.call(URLs1.retryRequest, (id.text, options), repeatable: options.id != nil)
        return try known(RequestID.self, new)
    }

    func drop(_ id: RequestID) async throws(IPCError) {
        try await link.call(URLs1.dropRequest, (id.text, NoOptions()), repeatable: false)
    }

    func trace(_ id: RequestID) async throws(IPCError) -> [TraceStep] {
        let rows = try await link.call(URLs1.traceRequest, (id.text, NoOptions()), repeatable: true)
        return rows.compactMap { facts in
            facts.step.flatMap(TraceStep.Kind.init(rawValue:)).map { kind in
                TraceStep(
                    kind, at: facts.time ?? 0, attempt: facts.attempt ?? 0, who: facts.who ?? "",
                    size: facts.size ?? 0, detail: facts.detail ?? "")
            }
        }
    }

    /// Subscribes before it returns, so that the end of every request queued afterwards is reported.
    func completions() async throws(IPCError) -> RequestCompletions {
        if subscription == nil {
            subscription = try await link.subscribe(to: URLs1.requestCompleted) { [weak self] end in
                guard let self, let id = try? RequestID(end.0), let outcome = Outcome(rawValue: end.1) else { return }
                for listener in self.listeners {
                    listener.yield(RequestCompletion(id: id, outcome: outcome))
                }
            }
        }
        let (stream, listener) = AsyncStream.makeStream(
            of: RequestCompletion.self, bufferingPolicy: .bufferingNewest(RequestCompletions.mostWaiting))
        listeners.insert(listener)
        listener.onTermination = { [weak self] _ in Task { @DBusActor in self?.remove(listener) } }
        return RequestCompletions(stream: stream)
    }

    private func remove(_ listener: AsyncStream<RequestCompletion>.Continuation) {
        listeners.remove(listener)
        if listeners.isEmpty { subscription = nil }
    }

    func end() {
        for listener in listeners { listener.finish() }
        listeners = []
        subscription = nil
    }
}

/// Reports that a request that this application queued has ended.
public struct RequestCompletion: Sendable, Hashable {
    /// The id of the request.
    public let id: RequestID
    /// How the request ended.
    public let outcome: Outcome
}

/// Reports when queued requests end; see ``Application/completions()``.
public struct RequestCompletions: AsyncSequence, Sendable {
    public typealias Element = RequestCompletion
    public typealias Failure = Never

    /// How many completions are kept for a slow consumer. If there are more, the oldest are dropped.
    public static let mostWaiting = 1_000

    let stream: AsyncStream<RequestCompletion>

    public func makeAsyncIterator() -> AsyncStream<RequestCompletion>.Iterator { stream.makeAsyncIterator() }
}
