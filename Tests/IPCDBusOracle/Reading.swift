internal import Glibc
internal import IPCDBus

/// The result of reading bytes with IPCDBus: a message with its arguments, or an error.
struct Reading {
    let message: Message?
    let values: [Value]
    let error: MessageError?
    /// A contradiction between two ways to read the same bytes.
    var conflict: String?

    init(_ bytes: [UInt8], descriptors: [Descriptor] = []) {
        do throws(MessageError) {
            self.init(try Self.message(bytes, descriptors))
        } catch { self.init(error: error) }
    }

    private init(error: MessageError) { (message, values, self.error, conflict) = (nil, [], error, nil) }

    /// Reads the arguments of a message with a valid header.
    init(_ message: Message) {
        let checked = Result { () throws(MessageError) in try message.checkArguments() }
        let read = Result { () throws(MessageError) in try Self.values(message) }
        switch (checked, read) {
        case (.success, .success(let values)):
            (self.message, self.values, error, conflict) = (message, values, nil, nil)
        case (.failure(let error), .failure): (self.message, values, self.error, conflict) = (nil, [], error, nil)
        case (.success, .failure(let error)):
            (self.message, values, self.error) = (nil, [], error)
            conflict = "the arguments pass the check, but cannot be read: \(error)"
        case (.failure(let error), .success):
            (self.message, values, self.error) = (nil, [], error)
            conflict = "the arguments can be read, but do not pass the check: \(error)"
        }
    }

    static func message(_ bytes: [UInt8], _ descriptors: [Descriptor]) throws(MessageError) -> Message {
        // The copy is exactly as long as the message, so that a sanitizer notices each byte that is read beyond it.
        guard let copy = malloc(max(1, bytes.count)) else { throw .outOfMemory }
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(copy, start, $0.count) } }
        return try Message(
            received: UnsafeMutableRawBufferPointer(start: copy, count: bytes.count), descriptors: descriptors)
    }

    private static func values(_ message: Message) throws(MessageError) -> [Value] {
        var reader = MessageReader(message)
        var values: [Value] = []
        while !reader.isAtEnd { values.append(try Value(reading: &reader)) }
        try reader.finish()
        return values
    }
}
