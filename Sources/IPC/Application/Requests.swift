extension Application {
    /// Returns the request with the given id, whether or not it exists. This makes no call.
    public nonisolated func request(_ id: RequestID) -> Request { Request(id, queries) }

    /// Returns the requests in the given state and for the given handler (`nil` means all), in the order of their
    /// acceptance, without replies. They are read page by page as you iterate.
    public nonisolated func requests(
        state: RequestState? = nil, application: ApplicationID? = nil
    ) -> Listing<RequestInfo> {
        queries.list(state?.rawValue, application)
    }

    /// Returns the requests with the given outcome; otherwise the same as ``requests(state:application:)``.
    public nonisolated func requests(outcome: Outcome, application: ApplicationID? = nil) -> Listing<RequestInfo> {
        queries.list(outcome, application)
    }

    /// Reports the completion of requests that this application queues from now on. Call this before queueing them.
    ///
    /// The broker reports the end of a request only to the connection that queued it. If a request ends while the bus
    /// is away, this sequence does not report it, but ``Request/wait(timeout:)`` returns its outcome. If a consumer is
    /// slow, only the newest ``RequestCompletions/mostWaiting`` reports are kept. The sequence ends after ``close()``.
    public func completions() async throws(IPCError) -> RequestCompletions { try await queries.completions() }
}
