internal import IPCDBus

/// The requests to open a URL that an application receives; see ``Application/openURLs``.
public struct OpenURLRequests: AsyncSequence, Sendable {
    public typealias Element = OpenURLRequest
    public typealias Failure = IPCError

    let application: Application

    public func makeAsyncIterator() -> Iterator { Iterator(application: application) }

    /// Returns one request after another.
    public struct Iterator: AsyncIteratorProtocol {
        let application: Application

        /// Returns the next request; `nil` after ``Application/close()``, or if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> OpenURLRequest? {
            try await application.receiver.requests.next()
        }
    }
}
