/// Messages whose arguments have the types of their descriptions.
extension Connection {
    func message<Input, Output>(
        calling method: Method<Input, Output>, on destination: BusName?, at path: ObjectPath, _ input: Input,
        startsService: Bool
    ) throws(CallError) -> Message {
        do throws(MessageError) {
            return try Message.methodCall(
                to: destination, path: path, interface: method.interface, member: method.name,
                startsService: startsService, signature: method.input.signature
            ) { (writer) throws(MessageError) in try method.input.write(input, &writer) }
        } catch { throw .unsendable(error) }
    }

    static func read<Output>(
        _ arguments: Arguments<Output>, from reply: Message
    ) throws(CallError) -> Output {
        guard reply.signature == arguments.signature else {
            throw .badReply(.unexpectedType(expected: arguments.signature, found: reply.signature))
        }
        do throws(MessageError) {
            var reader = MessageReader(reply)
            let output = try arguments.read(&reader)
            try reader.finish()
            return output
        } catch { throw .badReply(error) }
    }

    /// Calls a method that has no answer.
    public func notify<Input>(
        _ method: Method<Input, Void>, on destination: BusName?, at path: ObjectPath, _ input: Input
    ) throws(MessageError) {
        try send(
            try Message.methodCall(
                to: destination, path: path, interface: method.interface, member: method.name, expectsReply: false,
                startsService: false, signature: method.input.signature
            ) { (writer) throws(MessageError) in try method.input.write(input, &writer) })
    }

    /// Sends a signal; to everybody who listens, or to one.
    public func emit<Values>(
        _ signal: Signal<Values>, from path: ObjectPath, _ values: Values, to destination: BusName? = nil
    ) throws(MessageError) {
        try send(try message(signal, from: path, values, to: destination))
    }

    func message<Values>(
        _ signal: Signal<Values>, from path: ObjectPath, _ values: Values, to destination: BusName?
    ) throws(MessageError) -> Message {
        try Message.signal(
            path: path, interface: signal.interface, member: signal.name, to: destination,
            signature: signal.arguments.signature
        ) { (writer) throws(MessageError) in try signal.arguments.write(values, &writer) }
    }

    private func send(_ message: Message) throws(MessageError) {
        guard link?.carries(message) ?? true else { throw .descriptorsNotPassed }
        broadcast(message)
    }

    /// Sends what has no answer; while disconnected nobody is there to listen.
    func broadcast(_ message: Message) { link?.send(message) }
}
