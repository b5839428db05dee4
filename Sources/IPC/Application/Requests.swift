extension Application {
    /// The record of a request. Records of ended requests are kept for 24 h, the newest 10,000 of each source.
    /// - Throws: `noSuchRequest`.
    public func request(_ id: String) async throws(IPCError) -> RequestInfo {
        try await queries.record(of: RequestID(id))
    }

    /// Requests in a state, for a handler, in the order of their acceptance, without replies; `nil` means all. They are
    /// read page by page during the iteration.
    public nonisolated func requests(
        state: RequestState? = nil, application: String? = nil
    ) -> Listing<RequestInfo> {
        queries.list(state?.rawValue, application)
    }

    /// Requests with one outcome, in the order of their acceptance; see ``requests(state:application:)``.
    public nonisolated func requests(outcome: Outcome, application: String? = nil) -> Listing<RequestInfo> {
        queries.list(outcome, application)
    }

    /// Waits for the end of a request, without limit if `timeout` is `nil`, also over restarts of the broker and the
    /// bus. Cancelling the task does not cancel the request.
    /// - Returns: the outcome; `queued` if the time is over.
    /// - Throws: `noSuchRequest`; `storeUnavailable` when the task is cancelled.
    public func wait(for id: String, timeout: Duration? = nil) async throws(IPCError) -> OpenURLResponse {
        try await queries.end(of: RequestID(id), within: timeout)
    }

    /// Cancels a request. One that was not delivered ends as `cancelled`. The receiver of a delivered one is notified,
    /// and its answer decides. A request that has ended does not change.
    /// - Throws: `noSuchRequest`.
    public func cancelRequest(_ id: String) async throws(IPCError) {
        try await queries.cancel(RequestID(id))
    }

    /// Queues a request again that has ended and was not handled, with the same URL, payload, receiver and annotation.
    /// - Returns: the id of the new request: `newID`, or a random one if that is `nil`.
    /// - Throws: `noSuchRequest`; `noSuchItem` if it was handled or its payload is gone; `invalidArguments` if it has
    ///   not ended.
    @discardableResult
    public func retryRequest(_ id: String, as newID: String? = nil) async throws(IPCError) -> String {
        try await queries.retry(RequestID(id), as: newID)
    }

    /// Deletes an ended request with its payload.
    /// - Throws: `noSuchRequest`; `invalidArguments` if it has not ended: cancel it first.
    public func dropRequest(_ id: String) async throws(IPCError) {
        try await queries.drop(RequestID(id))
    }

    /// The steps of a request, in order, without content. Kinds of steps that this library does not know are left out.
    /// - Throws: `noSuchRequest`.
    public func traceRequest(_ id: String) async throws(IPCError) -> [TraceStep] {
        try await queries.trace(RequestID(id))
    }

    /// The ends of requests that this application queues from now on; call this before you queue them.
    ///
    /// The broker reports an end only to the connection that queued the request, so an end while the bus is away is
    /// missed; ``wait(for:timeout:)`` misses none. For a slow consumer, the newest ``RequestCompletions/mostWaiting``
    /// are kept. The sequence ends with ``close()``.
    public func completions() async throws(IPCError) -> RequestCompletions { try await queries.completions() }
}
