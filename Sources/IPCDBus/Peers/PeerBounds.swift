/// Bounds for what peers make this process hold, of several connections together. On a bus the bus bears it.
@DBusActor
public final class PeerBounds {
    private let mostMessageBytes: Int
    private let mostDescriptorsPerMessage: Int
    private let mostCalls: Int
    private let outgoingBytes: HeldBound
    private let incomingBytes: HeldBound
    /// Both directions: the process has one table for them.
    private let descriptors: HeldBound
    private let arriving: ArrivingBytes?

    /// - Parameters:
    ///   - messageBytes: of one message that comes in. Of a longer one its arguments are not kept; a call is answered with
    ///     ``ObjectServer/tooLong``.
    ///   - descriptorsPerMessage: a message with more is refused.
    ///   - calls: of one connection that have not been answered; of one more the answer says so.
    ///   - outgoingBytes: that wait because peers do not read.
    ///   - incomingBytes: of messages that have not come whole.
    ///   - descriptors: that wait because peers do not read, or belong to messages that have not come whole.
    ///   - arriving: of calls that are not finished, of all connections.
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

    /// Bounds a connection from now on, until it ends.
    /// - Precondition: there is no bus between.
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

    /// Whether the link may hold more.
    func admits() -> Bool { bytes.admits() && descriptors.admits() }

    func set(bytes: Int, descriptors: Int, hasMoved: Bool) {
        self.bytes.set(bytes, hasMoved: hasMoved)
        self.descriptors.set(descriptors, hasMoved: hasMoved)
    }
}
