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
        link.shares = LinkShares(
            outgoingBytes: HeldBound.Share(of: outgoingBytes, end: end),
            outgoingDescriptors: HeldBound.Share(of: descriptors, end: end),
            incomingBytes: HeldBound.Share(of: incomingBytes, end: end),
            incomingDescriptors: HeldBound.Share(of: descriptors, end: end))
        link.arriving = arriving
    }
}

/// What a link holds of each bound.
@DBusActor
struct LinkShares {
    let outgoingBytes: HeldBound.Share
    let outgoingDescriptors: HeldBound.Share
    let incomingBytes: HeldBound.Share
    let incomingDescriptors: HeldBound.Share

    /// Whether one message more may be queued.
    func admitMessage() -> Bool { outgoingBytes.admits() && outgoingDescriptors.admits() }

    func setOutgoing(bytes: Int, descriptors: Int, hasMoved: Bool) {
        outgoingBytes.set(bytes, hasMoved: hasMoved)
        outgoingDescriptors.set(descriptors, hasMoved: hasMoved)
    }

    /// - Returns: whether so much may come on.
    func setIncoming(bytes: Int, descriptors: Int, hasMoved: Bool) -> Bool {
        incomingBytes.set(bytes, hasMoved: hasMoved)
        incomingDescriptors.set(descriptors, hasMoved: hasMoved)
        return incomingBytes.admits() && incomingDescriptors.admits()
    }

    /// Nothing is held any more; nobody else goes for that.
    func release() {
        for share in [outgoingBytes, outgoingDescriptors, incomingBytes, incomingDescriptors] {
            share.set(0, hasMoved: true)
        }
    }
}
