/// The name on a bus that a peer stands for, and the answers to calls that the bus would answer.
struct StandIn {
    let name: BusName
    let bus: Connection
    /// Runs when the peer has said `Hello`, before the answer.
    let greeted: @DBusActor () -> Void

    /// Answers calls that are not for the objects here: calls to the bus, and to programs that this connection does not reach.
    @DBusActor
    func answers(_ call: IncomingCall, on peer: Connection) -> Bool {
        if call.message.interface == MessageBus.name.text || call.message.destination == .bus {
            answer(call, on: peer)
            return true
        }
        guard let destination = call.message.destination, !bus.isKnown(as: destination) else { return false }
        call.fail(
            ErrorReply(
                .serviceUnknown,
                "\(destination) cannot be reached here: this is a direct connection to one program; use the bus"))
        return true
    }

    /// Answers a call to the bus itself: `Hello` is for programs that can speak to message buses only. Signals and names stay on
    /// the bus.
    @DBusActor
    private func answer(_ call: IncomingCall, on peer: Connection) {
        let member = call.message.member ?? ""
        guard member == MessageBus.hello.name.text else {
            return call.fail(
                ErrorReply(.notSupported, "\(member) is answered on the bus only; this connection leads to one program")
            )
        }
        guard call.message.signature == MessageBus.hello.input.signature else {
            return call.fail(ErrorReply(.invalidArguments, "\(member) takes no arguments"))
        }
        guard !peer.incoming.hasGreeted else {
            return call.fail(ErrorReply(.failed, "\(member) has been answered already on this connection"))
        }
        peer.incoming.hasGreeted = true
        greeted()
        call.answer(name.text, as: MessageBus.hello.output)
    }
}

extension Connection {
    /// Lets a peer stand for a name on a bus: that name is the sender of all its calls, whatever they say. Signals that follow an
    /// answer go over the bus.
    /// - Parameter greeted: runs at `Hello`; the peer is ready then.
    /// - Precondition: the connection leads to a peer.
    public func stand(for name: BusName, on bus: Connection, greeted: @escaping @DBusActor () -> Void = {}) {
        precondition(isPeer, "on a bus the bus attests who calls")
        incoming.standIn = StandIn(name: name, bus: bus, greeted: greeted)
    }

    /// The name that a peer stands for.
    public var standsFor: BusName? { incoming.standIn?.name }

    /// Whether the other side has proved its identity. No message is read before.
    public var isAuthenticated: Bool { link?.isAuthenticated ?? false }

    /// Receives the messages that have arrived, for a peer whose name has left the bus, before it counts as gone.
    public func takeInRest() { link?.takeInRest() }
}
