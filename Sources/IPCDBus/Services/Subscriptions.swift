extension Connection {
    /// Listens to a signal until the subscription is let go, over reconnects too.
    ///
    /// A signal counts only when it comes from `sender`: for a well-known name from the connection that owns it at that
    /// moment, because the bus lets anybody send any signal.
    /// - Parameter sender: `nil` means anybody, or the peer.
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
}

/// Keeps a subscription alive while it is held.
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
