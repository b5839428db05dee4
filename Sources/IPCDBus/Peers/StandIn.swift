/// The bus name that a peer represents. Answers the peer's calls that the bus would otherwise answer.
struct StandIn {
    let name: BusName
    let bus: Connection
    /// Runs when the peer has called `Hello`, before the answer is sent.
    let greeted: @DBusActor () -> Void

    /// Answers a call to the bus or to a program that this connection does not reach. Returns false for any other call.
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

    /// Answers a call to the bus itself. `Hello` is supported for programs that can only talk to message buses. Match
    /// rules and names are available only on the bus itself.
    @DBusActor
    private func answer(_ call: IncomingCall, on peer: Connection) {
        let member = call.message.member ?? ""
        guard member == MessageBus.hello.name.text else {
            return call.fail(
                ErrorReply(.notSupported, "only the bus answers \(member); this connection leads to one program")
            )
        }
        guard call.message.signature == MessageBus.hello.input.signature else {
            return call.fail(ErrorReply(.invalidArguments, "\(member) takes no arguments"))
        }
        guard !peer.incoming.hasGreeted else {
            return call.fail(ErrorReply(.failed, "\(member) was already answered on this connection"))
        }
        peer.incoming.hasGreeted = true
        greeted()
        call.answer(name.text, as: MessageBus.hello.output)
    }
}

extension Connection {
    /// Makes a peer represent a bus name: that name is the sender of all its calls, whatever sender they state. Signals
    /// that follow an answer are sent over the bus.
    /// - Parameter greeted: runs when the peer calls `Hello`, which shows that it is ready.
    /// - Precondition: the other side is a peer.
    public func stand(for name: BusName, on bus: Connection, greeted: @escaping @DBusActor () -> Void = {}) {
        precondition(isPeer, "only a peer can stand for a name; on a bus, the bus attests the caller")
        incoming.standIn = StandIn(name: name, bus: bus, greeted: greeted)
    }

    /// The bus name that the peer represents; `nil` if there is none.
    public var standsFor: BusName? { incoming.standIn?.name }

    /// Whether the other side has proved its identity. No message is read before that.
    public var isAuthenticated: Bool { link?.isAuthenticated ?? false }

    /// Receives the last messages of a peer whose name has left the bus, before the peer is treated as gone.
    public func takeInRest() { link?.takeInRest() }
}
