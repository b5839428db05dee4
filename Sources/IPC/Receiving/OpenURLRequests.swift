internal import IPCDBus

/// The requests to open a URL that come to an application; see ``Application/openURLs``.
public struct OpenURLRequests: AsyncSequence, Sendable {
    public typealias Element = OpenURLRequest
    public typealias Failure = IPCError

    private let application: Application

    init(_ application: Application) { self.application = application }

    public func makeAsyncIterator() -> Iterator { Iterator(application: application) }

    /// Handles every request; see ``Application/onOpenURL(_:)``.
    func handle(_ body: @escaping OpenURLHandler) async throws(IPCError) {
        let result = await withDiscardingTaskGroup { group -> Result<Void, IPCError> in
            do throws(IPCError) {
                for try await request in self { group.addTask { await request.handle(body) } }
                return .success(())
            } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Asks for one request after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let application: Application

        /// The next request; `nil` after ``Application/close()`` and when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(IPCError) -> OpenURLRequest? {
            try await application.receiver.deliveries.next()
        }
    }
}

/// The requests that were delivered and not yet taken by a consumer.
///
/// Bounded by the window that was registered: the broker has no more on their way than that.
@DBusActor
final class RequestInbox {
    private typealias Next = Result<OpenURLRequest?, IPCError>

    private var waiting: [OpenURLRequest] = []
    private let consumers = WaitingTasks<Next>()
    private var ended: Next?

    func add(_ request: OpenURLRequest) {
        guard ended == nil else { return request.handBack() }
        if !consumers.resumeFirst(with: .success(request)) { waiting.append(request) }
    }

    /// Removes a request that no consumer has taken.
    func remove(_ id: String) -> OpenURLRequest? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    /// The next request, to the consumer that asked first; `nil` at the end, and when the task is cancelled.
    func next() async throws(IPCError) -> OpenURLRequest? {
        if let next = takeNext() { return try next.get() }
        guard !Task.isCancelled else { return nil }
        let next = await consumers.wait(unless: { takeNext() }, ifCancelled: { .success(nil) })
        return try next.get()
    }

    private func takeNext() -> Next? { waiting.isEmpty ? ended : .success(waiting.removeFirst()) }

    /// Ends the sequence, with an error or without one, and hands the requests in it back to the broker.
    func end(with error: IPCError?) {
        guard ended == nil else { return }
        let end: Next = error.map { .failure($0) } ?? .success(nil)
        ended = end
        for request in waiting { request.handBack() }
        waiting = []
        consumers.resumeAll(with: end)
    }
}
