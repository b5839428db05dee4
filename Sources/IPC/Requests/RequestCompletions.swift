internal import IPCDBus
internal import IPCInterface

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

/// Passes the broker's signals on to everybody who listens to them in this process.
@DBusActor
final class CompletionFeed {
    private let link: BrokerLink
    private var subscription: Subscription?
    private var listeners: [UInt64: AsyncStream<RequestCompletion>.Continuation] = [:]
    private var last: UInt64 = 0

    init(_ link: BrokerLink) { self.link = link }

    /// Listens before it returns, so that no end of what is queued afterwards is missed.
    func listen() async throws(IPCError) -> RequestCompletions {
        if subscription == nil {
            do throws(CallError) {
                // From the owner of the broker's name only: anybody can send any signal.
                subscription = try await link.connection.subscribe(
                    to: URLs1.requestCompleted, from: link.broker, at: Broker1.path
                ) { [weak self] end, _ in self?.tell(end.0, end.1) }
            } catch { throw IPCError(error) }
        }
        let (stream, listener) = AsyncStream.makeStream(
            of: RequestCompletion.self, bufferingPolicy: .bufferingNewest(RequestCompletions.mostWaiting))
        last += 1
        let number = last
        listeners[number] = listener
        listener.onTermination = { [weak self] _ in Task { @DBusActor in self?.leave(number) } }
        return RequestCompletions(stream: stream)
    }

    private func tell(_ id: String, _ word: String) {
        guard let outcome = Outcome(rawValue: word) else { return }
        for listener in listeners.values { listener.yield(RequestCompletion(id: id, outcome: outcome)) }
    }

    private func leave(_ number: UInt64) {
        listeners[number] = nil
        if listeners.isEmpty { subscription = nil }
    }

    /// Nothing comes any more.
    func end() {
        for listener in listeners.values { listener.finish() }
        listeners = [:]
        subscription = nil
    }
}
