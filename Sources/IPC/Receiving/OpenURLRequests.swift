internal import IPCDBus

/// The requests to open a URL that come to an application; see ``Application/openURLs``.
public struct OpenURLRequests: AsyncSequence, Sendable {
    public typealias Element = OpenURLRequest
    public typealias Failure = IPCError

    let application: Application

    public func makeAsyncIterator() -> Iterator { Iterator(application: application) }

    /// Takes one request after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let application: Application

        /// The next request; `nil` after ``Application/close()`` and when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> OpenURLRequest? {
            try await application.receiver.requests.next()
        }
    }
}
