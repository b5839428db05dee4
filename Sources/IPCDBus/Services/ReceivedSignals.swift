/// The signals of one kind that come to a connection; see ``Connection/signals(_:from:at:)``.
public struct ReceivedSignals<Values: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Values
    public typealias Failure = Never

    fileprivate let stream: AsyncStream<Values>
    fileprivate let subscription: Subscription

    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream.makeAsyncIterator(), subscription: subscription)
    }

    /// Gives one signal after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<Values>.Iterator
        /// Listens as long as somebody asks.
        fileprivate let subscription: Subscription

        /// The next signal; `nil` when the connection has ended, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Values? {
            await stream.next(isolation: actor)
        }
    }
}

extension Connection {
    /// How many signals wait for a consumer that is slow; then the oldest are let go.
    public nonisolated static let mostSignalsWaiting = 1_000

    /// Listens to a signal from now on: what comes after this has returned is in the sequence, over reconnects too, up to the
    /// newest ``mostSignalsWaiting``. The sequence ends with the connection; listening ends when it and its iterators are let
    /// go.
    /// - Parameters:
    ///   - sender: who counts, as for ``subscribe(to:from:at:_:)``; `nil` means anybody, or the peer.
    ///   - path: the object; `nil` means each.
    public func signals<Values: Sendable>(
        _ signal: Signal<Values>, from sender: BusName?, at path: ObjectPath? = nil
    ) async throws(CallError) -> ReceivedSignals<Values> {
        let (stream, listener) = AsyncStream.makeStream(
            of: Values.self, bufferingPolicy: .bufferingNewest(Self.mostSignalsWaiting))
        let subscription = try await subscribe(to: signal, from: sender, at: path) { values, _ in
            listener.yield(values)
        }
        let end = onEnd { listener.finish() }
        listener.onTermination = { [weak self] _ in Task { @DBusActor in self?.forgetEndHandler(end) } }
        return ReceivedSignals(stream: stream, subscription: subscription)
    }
}
