extension Application {
    /// All that is known of a request. Ended ones are kept for 24 h, the newest 10,000 of a source.
    /// - Throws: `noSuchRequest`.
    public func request(_ id: String) async throws(IPCError) -> RequestInfo {
        try await records.record(of: RequestID(checking: id))
    }

    /// Requests in the order of their acceptance, without replies; read page by page while it is iterated.
    /// - Parameters:
    ///   - state: only those which are there on their way; `nil` means all.
    ///   - application: only those for this handler.
    public nonisolated func requests(
        state: RequestState? = nil, application: String? = nil
    ) -> Listing<RequestInfo> {
        records.list(state?.rawValue, application)
    }

    /// Requests with one outcome, in the order of their acceptance; see ``requests(state:application:)``.
    public nonisolated func requests(outcome: Outcome, application: String? = nil) -> Listing<RequestInfo> {
        records.list(outcome, application)
    }

    /// Waits for the end of a request, over restarts of the broker and the bus too. Who stops waiting does not call the
    /// request off.
    /// - Parameters:
    ///   - id: the request.
    ///   - timeout: `nil` waits for ever.
    /// - Returns: the outcome; `queued` where the time is up.
    /// - Throws: `noSuchRequest`; `storeUnavailable` when the task is cancelled.
    public func wait(for id: String, timeout: Duration? = nil) async throws(IPCError) -> OpenURLResponse {
        try await records.end(of: RequestID(checking: id), within: timeout)
    }

    /// Calls a request off. What is not delivered ends as `cancelled`; of what is, the receiver is told, and its answer
    /// decides. One that has ended stays as it ended.
    /// - Throws: `noSuchRequest`.
    public func cancelRequest(_ id: String) async throws(IPCError) {
        try await records.cancel(RequestID(checking: id))
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
        try await records.retry(RequestID(checking: id), as: newID)
    }

    /// Forgets a request that has ended, with its payload.
    /// - Throws: `noSuchRequest`; `invalidArguments` where it has not ended: cancel it first.
    public func dropRequest(_ id: String) async throws(IPCError) {
        try await records.drop(RequestID(checking: id))
    }

    /// Every step of a request, in order; never content. Steps of a kind that this library does not know are left out.
    /// - Throws: `noSuchRequest`.
    public func traceRequest(_ id: String) async throws(IPCError) -> [TraceStep] {
        try await records.trace(RequestID(checking: id))
    }

    /// The ends of requests that this application queues, from now on: listen first, and queue then.
    ///
    /// They are hints, told only to the connection that queued a request, so what ends while the bus is away is not
    /// among them; ``wait(for:timeout:)`` is the answer that cannot be lost. A slow consumer has at most
    /// ``RequestCompletions/mostWaiting`` of them waiting, the newest. The sequence ends with ``close()``.
    public func completions() async throws(IPCError) -> RequestCompletions { try await records.completions() }
}
