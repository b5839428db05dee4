/// A request, identified by its id: one that this application has queued, or any other whose id is known.
///
/// It is a value with a connection and an id, and does not store the request's state: each access is a call to the
/// broker. Any program that knows the id can use the request, even after a restart. See
/// ``Application/queue(_:sending:on:options:)`` and ``Application/request(_:)``.
public struct Request: Sendable, Identifiable {
    /// The id of the request.
    public let id: RequestID
    private let queries: RequestQueries

    init(_ id: RequestID, _ queries: RequestQueries) { (self.id, self.queries) = (id, queries) }

    /// How the request ended; ``IPCModel/Outcome/queued`` if it has not ended.
    /// - Throws: `noSuchRequest`.
    public var outcome: Outcome { get async throws(IPCError) { try await info().outcome } }

    /// The broker's record of the request, kept for 24 h after the end, up to the newest 10,000 records per source.
    /// - Throws: `noSuchRequest`.
    public func info() async throws(IPCError) -> RequestInfo { try await queries.record(of: id) }

    /// Waits until the request ends, even across restarts of the broker and the bus. If `timeout` is `nil`, there is no
    /// time limit. Cancelling the task does not cancel the request.
    /// - Returns: the outcome; `queued` if the time runs out.
    /// - Throws: `noSuchRequest`; `storeUnavailable` if the task is cancelled.
    public func wait(timeout: Duration? = nil) async throws(IPCError) -> OpenURLResponse {
        try await queries.end(of: id, within: timeout)
    }

    /// Cancels the request. If it was not delivered, it ends as `cancelled`; otherwise, its handler is notified, and
    /// the handler's answer decides. A request that has ended is not changed.
    /// - Throws: `noSuchRequest`.
    public func cancel() async throws(IPCError) { try await queries.cancel(id) }

    /// Queues the request again if it ended unhandled, with the same URL, payload, handler and annotation.
    /// - Parameter newID: the id of the new request; `nil` for a random one.
    /// - Returns: the new request.
    /// - Throws: `noSuchRequest`; `noSuchItem` if the request was handled or its payload is gone; `invalidArguments` if
    ///   it has not ended.
    @discardableResult
    public func retry(as newID: RequestID? = nil) async throws(IPCError) -> Request {
        Request(try await queries.retry(id, as: newID), queries)
    }

    /// Deletes the request, which must have ended, and its payload.
    /// - Throws: `noSuchRequest`; `invalidArguments` if it has not ended. Cancel it first.
    public func drop() async throws(IPCError) { try await queries.drop(id) }

    /// The steps of the request, in order, without content. Kinds of steps unknown to this library are left out.
    /// - Throws: `noSuchRequest`.
    public func trace() async throws(IPCError) -> [TraceStep] { try await queries.trace(id) }
}

extension Request: Hashable {
    /// Two requests are equal if their ids are equal.
    public static func == (one: Request, other: Request) -> Bool { one.id == other.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
