/// A request that was queued by this application has reached its end.
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

    /// How many ends wait for a consumer that is slow; then the oldest are let go.
    public static let mostWaiting = 1_000

    let stream: AsyncStream<RequestCompletion>

    public func makeAsyncIterator() -> AsyncStream<RequestCompletion>.Iterator { stream.makeAsyncIterator() }
}
