extension Application {
    /// A request by its id, whether it exists or not; this makes no call.
    public nonisolated func request(_ id: RequestID) -> Request { Request(id, queries) }

    /// Requests in a state, for a handler, in the order of their acceptance, without replies; `nil` means all. They are
    /// read page by page during the iteration.
    public nonisolated func requests(
        state: RequestState? = nil, application: ApplicationID? = nil
    ) -> Listing<RequestInfo> {
        queries.list(state?.rawValue, application)
    }

    /// Requests with one outcome, in the order of their acceptance; see ``requests(state:application:)``.
    public nonisolated func requests(outcome: Outcome, application: ApplicationID? = nil) -> Listing<RequestInfo> {
        queries.list(outcome, application)
    }

    /// The ends of requests that this application queues from now on; call this before you queue them.
    ///
    /// The broker reports an end only to the connection that queued the request, so an end while the bus is away is
    /// missed; ``Request/wait(timeout:)`` misses none. For a slow consumer, the newest ``RequestCompletions/mostWaiting``
    /// are kept. The sequence ends with ``close()``.
    public func completions() async throws(IPCError) -> RequestCompletions { try await queries.completions() }
}
