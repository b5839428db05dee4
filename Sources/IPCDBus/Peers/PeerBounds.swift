/// Limits for the messages that this process holds for peers, because no bus holds them. Shared by several connections.
@DBusActor
public final class PeerBounds {
    private let mostMessageBytes: Int
    private let mostDescriptorsPerMessage: Int
    private let mostCalls: Int
    private let outgoingBytes: HeldBound
    private let incomingBytes: HeldBound
    /// One limit for all descriptors, incoming and outgoing, because the process has only one descriptor table.
    private let descriptors: HeldBound
    private let arriving: ArrivingBytes?

    /// - Parameters:
    ///   - messageBytes: the size limit of an incoming message. A longer message loses its arguments. A longer call is
    ///     rejected (``CallRefusal/tooLong(bytes:)``).
    ///   - descriptorsPerMessage: the maximum number of descriptors in a message; a call with more is rejected.
    ///   - calls: the maximum number of unanswered calls per connection; a further call is rejected.
    ///   - outgoingBytes: the limit for bytes that are waiting because peers do not read.
    ///   - incomingBytes: the limit for bytes of incomplete messages.
    ///   - descriptors: the limit for descriptors in messages that peers have not read, and in incomplete messages.
    ///   - arriving: the limit for the arguments of unfinished calls, shared by all connections; `nil` for none.
    public init(
        messageBytes: Int, descriptorsPerMessage: Int, calls: Int, outgoingBytes: Int, incomingBytes: Int,
        descriptors: Int, arriving: ArrivingBytes? = nil
    ) {
        self.arriving = arriving
        (mostMessageBytes, mostDescriptorsPerMessage, mostCalls) = (messageBytes, descriptorsPerMessage, calls)
        self.outgoingBytes = HeldBound(most: outgoingBytes)
        self.incomingBytes = HeldBound(most: incomingBytes)
        self.descriptors = HeldBound(most: descriptors)
    }

    /// Applies the limits to a connection until it closes.
    /// - Precondition: the connection leads directly to another program, not to a bus.
    public func add(_ connection: Connection) {
        precondition(connection.isPeer, "only a connection to a peer can be bounded")
        connection.incoming.most = mostCalls
        guard let link = connection.link else { return }
        let end: @DBusActor () -> Void = { [weak connection] in connection?.drop() }
        link.limitMessages(bytes: mostMessageBytes, descriptors: mostDescriptorsPerMessage)
        link.shares = (
            outgoing: LinkShares(of: outgoingBytes, descriptors, end: end),
            incoming: LinkShares(of: incomingBytes, descriptors, end: end)
        )
        link.arriving = arriving
    }
}

/// The bytes and descriptors that a link holds in one direction.
@DBusActor
struct LinkShares {
    private let bytes: HeldBound.Share
    private let descriptors: HeldBound.Share

    init(of bytes: HeldBound, _ descriptors: HeldBound, end: @escaping @DBusActor () -> Void) {
        self.bytes = HeldBound.Share(of: bytes, end: end)
        self.descriptors = HeldBound.Share(of: descriptors, end: end)
    }

    func admits() -> Bool { bytes.admits() && descriptors.admits() }

    func set(bytes: Int, descriptors: Int, hasMoved: Bool) {
        self.bytes.set(bytes, hasMoved: hasMoved)
        self.descriptors.set(descriptors, hasMoved: hasMoved)
    }
}
