extension Connection {
    /// Listens for a signal until the subscription is released, even across reconnects.
    /// - Parameter sender: `nil` means any sender (or the peer). Because the bus lets any process send any signal, a
    ///   well-known name selects only signals from the connection that owns the name when the signal arrives.
    public func subscribe<Values>(
        to signal: Signal<Values>, from sender: BusName?, at path: ObjectPath? = nil,
        _ handle: @escaping @DBusActor (Values, Message) -> Void
    ) async throws(CallError) -> Subscription {
        let rule = MatchRule(sender: sender, path: path, interface: signal.interface, member: signal.name)
        let subscription = Subscription(self, rule) { message in
            guard message.signature == signal.arguments.signature else { return }
            var reader = MessageReader(message)
            guard let values = try? signal.arguments.read(&reader) else { return }
            handle(values, message)
        }
        if let sender, sender != .bus, !sender.isUnique { subscription.senderWatch = try await watchName(sender) }
        if uniqueName != nil { try await call(MessageBus.addMatch, on: .bus, at: MessageBus.path, rule.text) }
        return subscription
    }

    /// The maximum number of signals buffered for a slow consumer. Beyond this number, the oldest signals are dropped.
    public nonisolated static let mostSignalsWaiting = 1_000

    /// Returns the signals that arrive from now on, even across reconnects. A slow consumer gets only the newest
    /// ``mostSignalsWaiting``. The sequence ends when the connection closes. The connection listens until the sequence
    /// and its iterators are released.
    /// - Parameters:
    ///   - sender: as for ``subscribe(to:from:at:_:)``.
    ///   - path: the object that sends the signal; `nil` means any.
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

/// Keeps a subscription active until this object is released.
@DBusActor
public final class Subscription {
    private weak var connection: Connection?
    private let rule: MatchRule
    private let number: UInt64
    var senderWatch: NameWatch?

    init(_ connection: Connection, _ rule: MatchRule, _ handle: @escaping @DBusActor (Message) -> Void) {
        self.connection = connection
        self.rule = rule
        number = connection.signals.add(rule, handle)
    }

    isolated deinit {
        guard let connection else { return }
        connection.signals.remove(number, rule: rule)
        if connection.uniqueName != nil {
            try? connection.notify(MessageBus.removeMatch, on: .bus, at: MessageBus.path, rule.text)
        }
    }
}

/// The signals of one kind that a connection receives; see ``Connection/signals(_:from:at:)``.
public struct ReceivedSignals<Values: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Values
    public typealias Failure = Never

    fileprivate let stream: AsyncStream<Values>
    fileprivate let subscription: Subscription

    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream.makeAsyncIterator(), subscription: subscription)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<Values>.Iterator
        /// Keeps the connection listening while the iterator exists.
        fileprivate let subscription: Subscription

        /// The next signal; `nil` once the connection is closed or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Values? {
            await stream.next(isolation: actor)
        }
    }
}
