/// A request by its id: one that this application has queued, or any other whose id is known.
///
/// It is a value with a connection and an id, and holds no state of the request: each access is a call to the broker. Any
/// program that knows the id can use it, also after a restart. See ``Application/queue(_:sending:on:options:)`` and
/// ``Application/request(_:)``.
public struct Request: Sendable, Identifiable {
    /// The id of the request.
    public let id: RequestID
    private let queries: RequestQueries

    init(_ id: RequestID, _ queries: RequestQueries) { (self.id, self.queries) = (id, queries) }

    /// How it ended; ``IPCModel/Outcome/queued`` if it has not ended.
    /// - Throws: `noSuchRequest`.
    public var outcome: Outcome { get async throws(IPCError) { try await info().outcome } }

    /// Its record. Records of ended requests are kept for 24 h, the newest 10,000 of each source.
    /// - Throws: `noSuchRequest`.
    public func info() async throws(IPCError) -> RequestInfo { try await queries.record(of: id) }

    /// Waits for its end, without limit if `timeout` is `nil`, also over restarts of the broker and the bus. Cancelling the
    /// task does not cancel the request.
    /// - Returns: the outcome; `queued` if the time is over.
    /// - Throws: `noSuchRequest`; `storeUnavailable` when the task is cancelled.
    public func wait(timeout: Duration? = nil) async throws(IPCError) -> OpenURLResponse {
        try await queries.end(of: id, within: timeout)
    }

    /// Cancels it. A request that was not delivered ends as `cancelled`. The handler of a delivered one is notified, and
    /// its answer decides. A request that has ended does not change.
    /// - Throws: `noSuchRequest`.
    public func cancel() async throws(IPCError) { try await queries.cancel(id) }

    /// Queues it again if it has ended and was not handled, with the same URL, payload, handler and annotation.
    /// - Parameter newID: the id of the new request; a random one if it is `nil`.
    /// - Returns: the new request.
    /// - Throws: `noSuchRequest`; `noSuchItem` if it was handled or its payload is gone; `invalidArguments` if it has
    ///   not ended.
    @discardableResult
    public func retry(as newID: RequestID? = nil) async throws(IPCError) -> Request {
        Request(try await queries.retry(id, as: newID), queries)
    }

    /// Deletes an ended request with its payload.
    /// - Throws: `noSuchRequest`; `invalidArguments` if it has not ended: cancel it first.
    public func drop() async throws(IPCError) { try await queries.drop(id) }

    /// Its steps, in order, without content. Kinds of steps that this library does not know are left out.
    /// - Throws: `noSuchRequest`.
    public func trace() async throws(IPCError) -> [TraceStep] { try await queries.trace(id) }
}

extension Request: Hashable {
    /// Two requests are equal if their ids are.
    public static func == (one: Request, other: Request) -> Bool { one.id == other.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
