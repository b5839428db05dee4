internal import IPCDBus
internal import IPCInterface

// Who knows the id of a request may ask for it, wait, and call it off, from any connection.
extension Application {
    /// How long one question for the end of a request stays open at the broker.
    private static let question = Duration.seconds(20)

    /// All that is known of a request. Ended ones are kept for 24 h, the newest 10,000 of a source.
    /// - Throws: `noSuchRequest`.
    public func request(_ id: String) async throws(IPCError) -> RequestInfo {
        try check(request: id)
        var options = GetRequestOptions()
        options.fd = link.takesDescriptors
        return try RequestInfo(try await link.call(URLs1.getRequest, (id, options), repeatable: true))
    }

    /// Requests in the order of their acceptance, without replies; read page by page while it is iterated.
    /// - Parameters:
    ///   - state: only those which are there on their way; `nil` means all.
    ///   - application: only those for this handler.
    public nonisolated func requests(
        state: RequestState? = nil, application: String? = nil
    ) -> Listing<RequestInfo> {
        listing(state?.rawValue, application)
    }

    /// Requests with one outcome, in the order of their acceptance; see ``requests(state:application:)``.
    public nonisolated func requests(outcome: Outcome, application: String? = nil) -> Listing<RequestInfo> {
        // On the wire this word is the state of what has not ended.
        guard outcome != .delivered else {
            return listing(RequestState.ended.rawValue, application) { $0.outcome == .delivered }
        }
        return listing(outcome.rawValue, application)
    }

    private nonisolated func listing(
        _ state: String?, _ application: String?,
        where isWanted: @escaping @Sendable (RequestInfo) -> Bool = { _ in true }
    ) -> Listing<RequestInfo> {
        Listing(where: isWanted) { after throws(IPCError) in
            var options = ListRequestsOptions()
            (options.after, options.state, options.application) = (after?.id, state, application)
            return try await self.page(options)
        }
    }

    private func page(_ options: ListRequestsOptions) async throws(IPCError) -> [RequestInfo] {
        if let application = options.application { try check(application: application) }
        let rows = try await link.call(URLs1.listRequests, options, repeatable: true)
        return try rows.map { (facts) throws(IPCError) in try RequestInfo(facts) }
    }

    /// Waits for the end of a request, over restarts of the broker and the bus too. Who stops waiting does not call the
    /// request off.
    /// - Parameters:
    ///   - id: the request.
    ///   - timeout: `nil` waits for ever.
    /// - Returns: the outcome; `queued` where the time is up.
    /// - Throws: `noSuchRequest`; `storeUnavailable` when the task is cancelled.
    public func wait(for id: String, timeout: Duration? = nil) async throws(IPCError) -> OpenURLResponse {
        try check(request: id)
        let deadline = timeout.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? Self.question
            var options = WaitRequestOptions()
            options.timeout = min(left, Self.question).wireMilliseconds
            options.fd = link.takesDescriptors
            let result = try await link.call(
                URLs1.waitRequest, (id, options), timeout: Self.question + BrokerLink.margin * 2, repeatable: true)
            let response = try OpenURLResponse(result)
            if response.outcome.isEnd { return response }
            if let deadline, ContinuousClock.now >= deadline { return response }
        }
    }

    /// Calls a request off. What is not delivered ends as `cancelled`; of what is, the receiver is told, and its answer
    /// decides. One that has ended stays as it ended.
    /// - Throws: `noSuchRequest`.
    public func cancelRequest(_ id: String) async throws(IPCError) {
        try check(request: id)
        try await link.call(URLs1.cancelRequest, (id, NoOptions()), repeatable: true)
    }

    /// Queues a request that has ended and was not handled once more, with the same URL, payload, receiver and
    /// annotation.
    /// - Parameters:
    ///   - id: the request that has ended.
    ///   - newID: the id of the new request; a random one if `nil`.
    /// - Returns: the id of the new request.
    /// - Throws: `noSuchRequest`; `noSuchItem` where it was handled or its payload is gone; `invalidArguments` where it
    ///   has not ended.
    @discardableResult
    public func retryRequest(_ id: String, as newID: String? = nil) async throws(IPCError) -> String {
        try check(request: id)
        var options = RetryRequestOptions()
        options.id = newID ?? repetitionID()
        return try await link.call(URLs1.retryRequest, (id, options), repeatable: options.id != nil)
    }

    /// Forgets a request that has ended, with its payload.
    /// - Throws: `noSuchRequest`; `invalidArguments` where it has not ended: cancel it first.
    public func dropRequest(_ id: String) async throws(IPCError) {
        try check(request: id)
        try await link.call(URLs1.dropRequest, (id, NoOptions()), repeatable: false)
    }

    /// Every step of a request, in order; never content. Steps of a kind that this library does not know are left out.
    /// - Throws: `noSuchRequest`.
    public func traceRequest(_ id: String) async throws(IPCError) -> [TraceStep] {
        try check(request: id)
        return try await link.call(URLs1.traceRequest, (id, NoOptions()), repeatable: true).compactMap(TraceStep.init)
    }

    /// The ends of requests that this application queues, from now on: listen first, and queue then.
    ///
    /// They are hints, told only to the connection that queued a request, so what ends while the bus is away is not
    /// among them; ``wait(for:timeout:)`` is the answer that cannot be lost. A slow consumer has at most
    /// ``RequestCompletions/mostWaiting`` of them waiting, the newest. The sequence ends with ``close()``.
    public func completions() async throws(IPCError) -> RequestCompletions { try await completionFeed.listen() }
}

extension TraceStep {
    init?(_ facts: TraceFacts) {
        guard let kind = facts.step.flatMap(Kind.init(rawValue:)) else { return nil }
        self.init(
            kind, at: facts.time ?? 0, attempt: facts.attempt ?? 0, who: facts.who ?? "", size: facts.size ?? 0,
            detail: facts.detail ?? "")
    }
}
