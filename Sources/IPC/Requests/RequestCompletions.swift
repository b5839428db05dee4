/// The end of a request that this application has queued.
public struct RequestCompletion: Sendable, Hashable {
    /// The id of the request.
    public let id: String
    /// How it ended.
    public let outcome: Outcome
}

/// The ends of queued requests, as they happen; see ``Application/completions()``.
public struct RequestCompletions: AsyncSequence, Sendable {
    public typealias Element = RequestCompletion
    public typealias Failure = Never

    /// The most ends that wait for a slow consumer; beyond it, the oldest are dropped.
    public static let mostWaiting = 1_000

    let stream: AsyncStream<RequestCompletion>

    public func makeAsyncIterator() -> AsyncStream<RequestCompletion>.Iterator { stream.makeAsyncIterator() }
}
