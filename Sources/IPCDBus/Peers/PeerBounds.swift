/// Limits of the messages that this process holds for peers, for several connections together. On a bus, the bus holds them.
@DBusActor
public final class PeerBounds {
    private let mostMessageBytes: Int
    private let mostDescriptorsPerMessage: Int
    private let mostCalls: Int
    private let outgoingBytes: HeldBound
    private let incomingBytes: HeldBound
    /// Of both directions: the process has one table for them.
    private let descriptors: HeldBound
    private let arriving: ArrivingBytes?

    /// - Parameters:
    ///   - messageBytes: the limit of an incoming message. The arguments of a longer one are not kept; a longer call is refused
    ///     (``CallRefusal/tooLong(bytes:)``).
    ///   - descriptorsPerMessage: a call with more is refused.
    ///   - calls: the most unanswered calls of one connection; a further call is refused.
    ///   - outgoingBytes: bytes that wait because peers do not read.
    ///   - incomingBytes: bytes of incomplete messages.
    ///   - descriptors: descriptors that wait because peers do not read, and those of incomplete messages.
    ///   - arriving: the limit of unfinished calls, for all connections.
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

    /// Bounds a connection until it ends.
    /// - Precondition: the connection leads to a peer.
    public func add(_ connection: Connection) {
        precondition(connection.isPeer, "a bus bounds what comes over it")
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

/// The bytes and the descriptors that a link holds in one direction.
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
