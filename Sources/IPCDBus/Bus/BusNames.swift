extension Connection {
    private func bus<Input, Output>(
        _ method: Method<Input, Output>, _ input: Input, timeout: Duration = .seconds(25)
    ) async throws(CallError) -> Output {
        try await call(method, on: .bus, at: MessageBus.path, input, timeout: timeout)
    }

    /// The ID of the bus (`GetId`). Unique names are unique only within one bus.
    public func busID() async throws(CallError) -> String { try await bus(MessageBus.getID, ()) }

    /// Requests a well-known name. If this succeeds, the connection requests the name again after each reconnect.
    public func requestName(
        _ name: BusName, flags: NameRequestFlags = .doNotQueue
    ) async throws(CallError) -> NameRequestResult {
        let code = try await bus(MessageBus.requestName, (name.text, flags.rawValue))
        guard let result = NameRequestResult(rawValue: code) else {
            throw .badReply(.unexpectedType(expected: "1…4", found: "\(code)"))
        }
        if result.isOwner || result == .inQueue { names.own(name, flags: flags.rawValue) }
        return result
    }

    /// Requests a well-known name, and waits in the bus's queue until this connection owns it. After a reconnect, the
    /// connection waits at the end of the queue.
    /// - Throws: ``CallError/cancelled`` or ``CallError/disconnected``. In both cases, the connection leaves the queue.
    public func ownName(_ name: BusName) async throws(CallError) {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = try await watchName(name) { _, _ in turn.yield() }
        let end = onEnd { turn.finish() }
        defer { forgetEndHandler(end) }
        guard try await !requestName(name, flags: []).isOwner else { return }
        for await _ in turns where watch.owner != nil && watch.owner == uniqueName { return }
        guard Task.isCancelled else { throw .disconnected }
        // A cancelled task cannot make calls, so another task releases the name.
        Task { try? await releaseName(name) }
        throw .cancelled
    }

    public func releaseName(_ name: BusName) async throws(CallError) {
        names.disown(name)
        _ = try await bus(MessageBus.releaseName, name.text)
    }

    /// The unique name of the connection that owns `name`; `nil` if there is none.
    public func owner(of name: BusName) async throws(CallError) -> BusName? {
        try await MessageBus.owner { () throws(CallError) in try await bus(MessageBus.getNameOwner, name.text) }
    }

    public func listNames() async throws(CallError) -> [String] { try await bus(MessageBus.listNames, ()) }

    /// The names for which the bus can start a program.
    public func listActivatableNames() async throws(CallError) -> [String] {
        try await bus(MessageBus.listActivatableNames, ())
    }

    /// Starts the program for a name, unless it is already running, and waits until it owns the name.
    public func startService(_ name: BusName, timeout: Duration) async throws(CallError) {
        _ = try await bus(MessageBus.startServiceByName, (name.text, 0), timeout: timeout)
    }

    /// Follows the owner of a name until the watch is released. When this returns, ``NameWatch/owner`` is known.
    /// - Parameter changed: receives the old and the new owner, if any, on each later change, even across reconnects.
    public func watchName(
        _ name: BusName, changed: @escaping @DBusActor (BusName?, BusName?) -> Void = { _, _ in }
    ) async throws(CallError) -> NameWatch {
        let rule = MatchRule(
            sender: .bus, path: nil, interface: MessageBus.name, member: MessageBus.nameOwnerChanged.name,
            firstArgument: name.text)
        let number = names.watch(name)
        let names = names
        let subscription = Subscription(self, rule) { message in
            var reader = MessageReader(message)
            guard let (_, old, new) = try? MessageBus.nameOwnerChanged.arguments.read(&reader) else { return }
            let (former, owner) = (old.isEmpty ? nil : BusName(trusted: old), new.isEmpty ? nil : BusName(trusted: new))
            names.signal(name, from: former, to: owner)
        }
        let watch = NameWatch(name, number: number, names: names, subscription: subscription)
        try await bus(MessageBus.addMatch, rule.text)
        let before = names.signalled[name]
        let present = try await owner(of: name)
        if names.signalled[name] == before { names.learn(name, owner: present) }
        names.setHandler(name, number, changed)
        return watch
    }

    /// Waits until a connection has left the bus.
    /// - Throws: ``CallError/timedOut`` if it is still there after the timeout.
    public func waitForDeparture(of name: BusName, timeout: Duration) async throws(CallError) {
        let (departures, left) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let watch = try await watchName(name) { _, owner in if owner == nil { left.yield() } }
        guard watch.owner != nil else { return }
        let timer = DBusTimer()
        timer.set(at: .now + timeout) { left.finish() }
        defer { withExtendedLifetime(watch) { timer.cancel() } }
        for await _ in departures { return }
        throw Task.isCancelled ? .cancelled : .timedOut
    }

    /// Waits until `name` has an owner.
    /// - Throws: ``CallError/timedOut`` if it still has none after the timeout.
    public func waitForName(_ name: BusName, timeout: Duration) async throws(CallError) -> BusName {
        let (owners, appeared) = AsyncStream.makeStream(of: BusName.self, bufferingPolicy: .bufferingOldest(1))
        let watch = try await watchName(name) { _, owner in if let owner { appeared.yield(owner) } }
        if let owner = watch.owner { return owner }
        let timer = DBusTimer()
        timer.set(at: .now + timeout) { appeared.finish() }
        defer { withExtendedLifetime(watch) { timer.cancel() } }
        for await owner in owners { return owner }
        throw Task.isCancelled ? .cancelled : .timedOut
    }
}

/// Follows the owner of one name for as long as the watch is held.
@DBusActor
public final class NameWatch {
    public let name: BusName
    private let number: UInt64
    private let names: NameRegistry
    private let subscription: Subscription

    init(_ name: BusName, number: UInt64, names: NameRegistry, subscription: Subscription) {
        (self.name, self.number, self.names, self.subscription) = (name, number, names, subscription)
    }

    isolated deinit { names.unwatch(name, number) }

    /// The unique name of the current owner; `nil` if there is none.
    public var owner: BusName? { names.owner(of: name) }
}
