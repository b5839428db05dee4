/// The first calls of a connection to a bus, over a link that is not in use yet.
@DBusActor
struct BusGreeting {
    let link: Link
    let calls: CallTable
    let deadline: ContinuousClock.Instant

    /// - Returns: the name that the bus gave.
    func hello() async throws(CallError) -> BusName { BusName(trusted: try await call(MessageBus.hello, ())) }

    /// Adds all match rules and requests all names.
    func restore(_ signals: SignalRouter, _ names: NameRegistry) async throws(CallError) {
        for rule in signals.rules { try await call(MessageBus.addMatch, rule) }
        try await names.restore { name, flags throws(CallError) in
            try await call(MessageBus.requestName, (name, flags))
        } owner: { name throws(CallError) in
            try await MessageBus.owner { () throws(CallError) in try await call(MessageBus.getNameOwner, name.text) }
        }
    }

    private func call<Input, Output>(
        _ method: Method<Input, Output>, _ input: Input
    ) async throws(CallError) -> Output {
        let message = try method.call(on: .bus, at: MessageBus.path, input)
        return try method.output.values(of: try await calls.reply(to: message, over: link, until: deadline))
    }
}
