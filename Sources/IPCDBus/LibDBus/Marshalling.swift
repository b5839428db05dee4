internal import CLibDBus

extension DBusCodable {
    /// The value as the bytes of a message that holds it and nothing else, to be kept and read again by
    /// ``init(marshalled:)``. The corresponding C function is `dbus_message_marshal`.
    public func marshalled() throws(MessageError) -> [UInt8] {
        let message = try Message.signal(path: "/", interface: "org.swiftipc.Marshalled", member: "Value", to: nil)
        var writer = MessageWriter(message)
        try write(to: &writer)
        // A message without a serial number is not one.
        dbus_message_set_serial(message.handle, 1)
        var bytes: UnsafeMutablePointer<CChar>?
        var count: CInt = 0
        guard dbus_message_marshal(message.handle, &bytes, &count) != 0, let bytes else { throw .outOfMemory }
        defer { dbus_free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    /// Reads what ``marshalled()`` gave. The corresponding C function is `dbus_message_demarshal`.
    public init(marshalled bytes: [UInt8]) throws(MessageError) {
        let handle = bytes.withUnsafeBytes { bytes in
            dbus_message_demarshal(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), nil)
        }
        guard let handle else { throw .refused("the bytes are no message") }
        defer { dbus_message_unref(handle) }
        var reader = MessageReader(Message(retaining: handle))
        try self.init(from: &reader)
    }
}
