internal import Glibc

extension DBusCodable {
    /// The value as the bytes of a message that holds it and nothing else, to be kept and read again by
    /// ``init(marshalled:)``.
    public func marshalled() throws(MessageError) -> [UInt8] {
        let message = try Message.signal(
            path: "/", interface: "org.swiftipc.Marshalled", member: "Value", to: nil,
            signature: Self.dbusSignature.text
        ) { (writer) throws(MessageError) in try write(to: &writer) }
        // A message without a serial number is not one.
        message.setSerial(1)
        return Array(message.bytes)
    }

    /// Reads what ``marshalled()`` gave.
    public init(marshalled bytes: [UInt8]) throws(MessageError) {
        guard let copy = malloc(max(1, bytes.count)) else { throw .outOfMemory }
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(copy, start, $0.count) } }
        let message = try Message(
            received: UnsafeMutableRawBufferPointer(start: copy, count: bytes.count), descriptors: [])
        var reader = MessageReader(message)
        try self.init(from: &reader)
        try reader.finish()
    }
}
