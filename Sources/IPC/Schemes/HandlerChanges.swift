internal import IPCDBus
internal import IPCInterface

/// Reports when a scheme may have gained a handler: a different application handles the scheme, the handler appears on
/// the bus, or a broker starts. It does not report policy changes.
@DBusActor
final class HandlerChanges {
    private let link: BrokerLink
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let timer = DBusTimer()
    private var subscription: Subscription?
    private var broker: NameWatch?
    private var application: NameWatch?

    /// Subscribes to the changes before it returns, so that no later change is missed.
    init(of scheme: URLScheme, _ link: BrokerLink, within time: Duration) async throws(IPCError) {
        self.link = link
        // One pending change stands for any number of changes.
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let changed = changed
        timer.set(at: .now.advanced(by: time)) { changed.finish() }
        subscription = try await link.subscribe(to: Schemes1.handlerChanged) { change in
            if (try? URLScheme(change.0)) == scheme { changed.yield() }
        }
        broker = try await watch(link.broker)
    }

    private func watch(_ name: BusName?) async throws(IPCError) -> NameWatch? {
        guard let name, link.broker != nil else { return nil }
        let changed = changed
        return try await link.onBus { (bus) throws(CallError) in
            try await bus.watchName(name) { _, owner in if owner != nil { changed.yield() } }
        }
    }

    /// Also watches the application that handles the scheme, which may not be running yet.
    func follow(_ id: String?) async throws(IPCError) {
        guard id != application?.name.text else { return }
        application = try await watch(id.flatMap { try? BusName($0) })
        // The application may have appeared before the watch started.
        if application?.owner != nil { changed.yield() }
    }

    /// - Returns: `true` after a change; `false` when the time runs out.
    /// - Throws: `storeUnavailable` if the task is cancelled.
    func next() async throws(IPCError) -> Bool {
        var iterator = changes.makeAsyncIterator()
        let isChanged = await iterator.next(isolation: DBusActor.shared) != nil
        if Task.isCancelled { throw IPCError(CallError.cancelled) }
        // The broker may not have received the change from the bus yet, and the next call could overtake it on a direct
        // connection. So wait until the broker answers over the bus.
        if isChanged, let broker = link.broker {
            let _: Void? = try? await link.connection.call(Peer.ping, on: broker, at: "/", (), startsService: false)
        }
        return isChanged
    }
}
