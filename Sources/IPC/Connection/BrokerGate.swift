internal import IPCDBus
internal import IPCInterface

/// Admits calls only from the broker: the connection that currently owns the broker's name (I19). On a peer-to-peer
/// connection, the peer is the broker.
@DBusActor
final class BrokerGate {
    private let link: BrokerLink
    private var watch: NameWatch?

    init(_ link: BrokerLink) { self.link = link }

    /// The unique name of the broker's connection; `nil` if it is not known yet.
    var owner: BusName? { watch?.owner }

    var isOpen: Bool { watch != nil }

    func open(_ appeared: @escaping @DBusActor (BusName) -> Void = { _ in }) async throws(IPCError) {
        guard watch == nil, let name = link.broker else { return }
        watch = try await link.onBus { (bus) throws(CallError) in
            try await bus.watchName(name) { _, owner in if let owner { appeared(owner) } }
        }
    }

    func close() { watch = nil }

    /// Calls `proceed` with `nil` if the broker made the call, otherwise with an error.
    func admit(_ call: IncomingCall, _ proceed: @escaping @DBusActor (ErrorReply?) -> Void) {
        guard let name = link.broker, !link.route.leads(to: call.connection) else { return proceed(nil) }
        if let owner { return proceed(call.sender == owner ? nil : .stranger) }
        // After a reconnect, the owner of the broker's name may not be known yet, so ask the bus.
        let connection = link.connection
        Task {
            let owner = try? await connection.owner(of: name)
            proceed(owner != nil && call.sender == owner ? nil : .stranger)
        }
    }
}

extension ErrorReply {
    fileprivate static let stranger = ErrorReply(
        .accessDenied, "only the owner of \(Broker1.busName) may call this object")
}
