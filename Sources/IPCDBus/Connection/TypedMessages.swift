extension Method {
    func call(
        on destination: BusName?, at path: ObjectPath, _ values: Input, startsService: Bool = true
    ) throws(CallError) -> Message {
        do throws(MessageError) {
            return try Message.methodCall(
                to: destination, path: path, interface: interface, member: name, startsService: startsService,
                signature: input.signature
            ) { (writer) throws(MessageError) in try input.write(values, &writer) }
        } catch { throw .unsendable(error) }
    }
}

extension Arguments {
    func values(of answer: Message) throws(CallError) -> Values {
        guard answer.signature == signature else {
            throw .badReply(.unexpectedType(expected: signature, found: answer.signature))
        }
        do throws(MessageError) {
            var reader = MessageReader(answer)
            let values = try read(&reader)
            try reader.finish()
            return values
        } catch { throw .badReply(error) }
    }
}

extension Signal {
    func message(
        from path: ObjectPath, _ values: Values, to destination: BusName?
    ) throws(MessageError) -> Message {
        try Message.signal(
            path: path, interface: interface, member: name, to: destination, signature: arguments.signature
        ) { (writer) throws(MessageError) in try arguments.write(values, &writer) }
    }
}

extension Connection {
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

    /// Sends a signal to all listeners, or to one receiver.
    public func emit<Values>(
        _ signal: Signal<Values>, from path: ObjectPath, _ values: Values, to destination: BusName? = nil
    ) throws(MessageError) {
        try send(try signal.message(from: path, values, to: destination))
    }

    private func send(_ message: Message) throws(MessageError) {
        guard link?.carries(message) ?? true else { throw .descriptorsNotPassed }
        broadcast(message)
    }

    /// Sends a message that has no answer. While disconnected, the message is dropped.
    func broadcast(_ message: Message) { link?.send(message) }
}
