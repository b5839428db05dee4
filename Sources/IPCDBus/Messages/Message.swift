internal import Glibc

/// One D-Bus message: its header, its arguments as bytes, its descriptors.
///
/// Unchecked: the bytes are written before the initializer returns, but for the serial number, which is set by the one
/// link that sends the message. Those of a call that came in go when its one reader has read them, on the I/O thread.
public final class Message: @unchecked Sendable {
    public enum Kind: UInt8, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    private(set) var header: MessageHeader
    /// The whole message as it goes over the wire; begins at a multiple of 8 (D-Bus specification, "Message Format").
    package private(set) var bytes: UnsafeMutableRawBufferPointer
    /// Where the arguments begin.
    package let bodyStart: Int
    /// The descriptors; a value names one by its index. `nil` if no value names it.
    package private(set) var descriptors: [Descriptor?]

    /// Takes over memory of malloc(3) that holds a message which is known to be right.
    init(header: MessageHeader, bytes: UnsafeMutableRawBufferPointer, bodyStart: Int, descriptors: [Descriptor?]) {
        (self.header, self.bytes, self.bodyStart, self.descriptors) = (header, bytes, bodyStart, descriptors)
    }

    /// Takes over memory of malloc(3) that holds a received message, with its descriptors.
    /// - Throws: ``MessageError/malformed(_:)``; the arguments are checked when they are read.
    package convenience init(received bytes: UnsafeMutableRawBufferPointer, descriptors: [Descriptor?])
        throws(MessageError)
    {
        do throws(MessageError) {
            var texts = HeaderTexts()
            let (header, bodyStart) = try MessageHeader.parse(UnsafeRawBufferPointer(bytes), &texts)
            guard header.descriptorCount <= descriptors.count else {
                throw .malformed("a message names more descriptors than came with it")
            }
            let named = Array(descriptors.prefix(header.descriptorCount))
            self.init(header: header, bytes: bytes, bodyStart: bodyStart, descriptors: named)
        } catch {
            freeWiped(bytes)
            throw error
        }
    }

    /// The bounds that the receiver sets for its arguments.
    var bounds: WireBounds?

    /// Why its arguments cannot be used; `nil` for most messages. Nothing but its kind, its numbers and its sender counts then.
    private(set) var defect: MessageDefect?
    package var isDefective: Bool { defect != nil }

    /// The charge for the arguments of a call under way.
    var charge: ArrivingBytes.Charge?

    /// Makes a message from a header alone, because its arguments cannot be used.
    convenience init(header: MessageHeader, defect: MessageDefect) {
        var header = header
        (header.signature, header.signatureEnd) = ("", 0)
        self.init(
            header: header, bytes: UnsafeMutableRawBufferPointer(start: nil, count: 0), bodyStart: 0, descriptors: [])
        self.defect = defect
    }

    /// Notes that its arguments are not there, and closes its descriptors.
    func mark(_ defect: MessageDefect) {
        self.defect = defect
        descriptors = []
    }

    deinit { freeWiped(bytes) }

    public var kind: Kind? { Kind(rawValue: header.kind) }
    public var serial: UInt32 { header.serial }
    public var replySerial: UInt32 { header.replySerial }
    public var expectsReply: Bool { header.flags & MessageHeader.noReplyExpected == 0 }
    /// The receiver; absent peer to peer.
    package var destination: BusName? { header.destination.map { BusName(trusted: $0) } }
    /// The sender. A bus attests it; on a peer-to-peer connection the peer may write any name.
    public var sender: BusName? { header.sender.map { BusName(trusted: $0) } }
    public var path: ObjectPath? { header.path.map { ObjectPath(trusted: $0) } }
    public var interface: String? { header.interface }
    public var member: String? { header.member }
    public var errorName: String? { header.errorName }
    /// The types of the arguments.
    public var signature: String { header.signature }

    /// The same as it stands in the message.
    var signatureBytes: ReceivedBytes {
        let length = header.signatureEnd == 0 ? 0 : header.signature.utf8.count
        return ReceivedBytes(bytes).part(header.signatureEnd - length, count: length)
    }

    /// Whether a value may name a descriptor by this number.
    func hasDescriptor(_ index: Int) -> Bool { index < descriptors.count && descriptors[index] != nil }

    /// The text of an error reply: its first argument, if that is a string.
    var errorText: String {
        var reader = MessageReader(self)
        return (try? String(from: &reader)) ?? ""
    }

    /// Releases bytes and descriptors of a call whose arguments have been read: a call that waits for its answer would keep
    /// them twice. The parts of the header that the answer needs stay.
    func letGoOfArguments() {
        freeWiped(bytes)
        bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        descriptors = []
        (header.path, header.interface, header.destination) = (nil, nil, nil)
        (header.signature, header.signatureEnd) = ("", 0)
    }

    /// Reads all arguments once, as a bus does before it passes a message on.
    /// - Throws: ``MessageError`` for what breaks the protocol.
    package func checkArguments() throws(MessageError) {
        var reader = MessageReader(self)
        try reader.skipAll()
        try reader.finish()
    }

    /// Sets the number that the answer quotes.
    package func setSerial(_ serial: UInt32) {
        header.serial = serial
        bytes.storeBytes(of: serial, toByteOffset: 8, as: UInt32.self)
    }
}

// MARK: Making messages

extension Message {
    /// Writes the arguments of a message.
    package typealias Body = (inout MessageWriter) throws(MessageError) -> Void

    private convenience init(_ header: consuming MessageHeader, _ body: Body) throws(MessageError) {
        var writer = MessageWriter()
        try header.write(to: &writer)
        let bodyStart = writer.count
        try body(&writer)
        let written = writer.take(bodyStart: bodyStart)
        self.init(header: header, bytes: written.bytes, bodyStart: bodyStart, descriptors: written.descriptors)
    }

    package static func methodCall(
        to destination: BusName?, path: ObjectPath, interface: InterfaceName?, member: MemberName,
        expectsReply: Bool = true, startsService: Bool = true, signature: String, _ body: Body
    ) throws(MessageError) -> Message {
        var header = MessageHeader(.methodCall, signature: signature)
        (header.destination, header.path) = (destination?.text, path.text)
        (header.interface, header.member) = (interface?.text, member.text)
        if !expectsReply { header.flags |= MessageHeader.noReplyExpected }
        if !startsService { header.flags |= MessageHeader.noAutoStart }
        return try Message(header, body)
    }

    static func methodReturn(for call: Message, signature: String, _ body: Body) throws(MessageError) -> Message {
        var header = MessageHeader(.methodReturn, signature: signature)
        header.answer(call.header)
        return try Message(header, body)
    }

    static func error(for call: Message, _ error: ErrorReply) throws(MessageError) -> Message {
        var header = MessageHeader(.error, signature: "s")
        header.answer(call.header)
        return try Self.error(header, error)
    }

    /// An error to the caller in place of an answer.
    static func error(inPlaceOf answer: Message, _ error: ErrorReply) throws(MessageError) -> Message {
        var header = MessageHeader(.error, signature: "s")
        (header.replySerial, header.destination) = (answer.header.replySerial, answer.header.destination)
        header.flags = answer.header.flags
        return try Self.error(header, error)
    }

    /// A sentence may quote what a caller has chosen, which may have megabytes.
    private static func error(_ header: MessageHeader, _ error: ErrorReply) throws(MessageError) -> Message {
        var header = header
        header.errorName = error.name.text
        let text = error.message.shortened(to: ErrorReply.mostBytes).withoutNUL
        return try Message(header) { (writer) throws(MessageError) in try text.write(to: &writer) }
    }

    package static func signal(
        path: ObjectPath, interface: InterfaceName, member: MemberName, to destination: BusName?, signature: String,
        _ body: Body
    ) throws(MessageError) -> Message {
        var header = MessageHeader(.signal, signature: signature)
        (header.destination, header.path) = (destination?.text, path.text)
        (header.interface, header.member) = (interface.text, member.text)
        header.flags |= MessageHeader.noReplyExpected
        return try Message(header, body)
    }
}

/// Why a message has come and its arguments cannot be used. Such a message is dropped or refused; the connection stays.
enum MessageDefect: Error, Equatable {
    /// It is longer than the messages that are kept.
    case tooLong(bytes: Int)
    /// It was not kept, because its caller has too many bytes of other calls under way.
    case overShare(bytes: Int)
    /// Its header breaks the protocol, or its descriptors are missing.
    case invalid(MessageError)

    /// What an answer with this defect means to the call.
    var error: MessageError {
        switch self {
        case .tooLong(let bytes), .overShare(let bytes):
            .refused("a message of \(bytes) bytes is longer than those that are taken")
        case .invalid(let error): error
        }
    }
}

// A message may carry a secret (I14): its memory is overwritten before it is used again.

/// Overwrites bytes, even if the compiler sees no later read.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
}

/// Overwrites and frees memory of malloc(3).
func freeWiped(_ bytes: UnsafeMutableRawBufferPointer) {
    wipe(bytes)
    free(bytes.baseAddress)
}
