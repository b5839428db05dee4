internal import Glibc

extension DBusCodable {
    /// Encodes the value for storage, as a message with only this value. ``init(marshalled:)`` decodes it.
    /// - Throws: ``MessageError`` if a message cannot carry the value.
    public func marshalled() throws(MessageError) -> [UInt8] {
        let message = try Message.signal(
            path: "/", interface: "org.swiftipc.Marshalled", member: "Value", to: nil,
            signature: Self.dbusSignature.text
        ) { (writer) throws(MessageError) in try write(to: &writer) }
        // Any valid serial number; 0 is invalid.
        message.setSerial(1)
        return Array(message.bytes)
    }

    /// Reads bytes written by ``marshalled()``.
    /// - Throws: ``MessageError`` if the bytes are malformed, or carry a value of another type.
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
