package import IPCDBus

extension Message {
    /// Checks all arguments, as a bus does before it forwards a message.
    /// - Throws: `MessageError` if they break the protocol.
    package func checkArguments() throws(MessageError) {
        var reader = MessageReader(self)
        try reader.skipAll()
        try reader.finish()
    }
}
