internal import Glibc

/// A D-Bus message: its header, the bytes of its arguments, and its descriptors.
///
/// Unchecked: after its initialization, a message changes only on the I/O thread. The link that sends it sets its
/// serial number, and the reader of an incoming call releases its bytes.
public final class Message: @unchecked Sendable {
    public enum Kind: UInt8, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    private(set) var header: MessageHeader
    /// The bytes of the message without attachments, at an address that is a multiple of 8 (D-Bus specification, "Message Format").
    package private(set) var bytes: UnsafeMutableRawBufferPointer
    /// Parts of an outgoing message that are not in ``bytes``. A received message has none.
    let attachments: [Attachment]
    /// The length of the whole message.
    let byteCount: Int
    /// The offset of the arguments.
    package let bodyStart: Int
    /// The descriptors. Values refer to them by index; a value that refers to a `nil` element is invalid.
    package private(set) var descriptors: [Descriptor?]

    /// A byte array that is sent from where it is, so that a long value is not copied.
    struct Attachment {
        /// How many of the message's own bytes are sent before the array.
        let place: Int
        let bytes: [UInt8]
    }

    /// Takes over a valid message in memory from malloc(3).
    init(
        header: MessageHeader, bytes: UnsafeMutableRawBufferPointer, attachments: [Attachment] = [], bodyStart: Int,
        descriptors: [Descriptor?]
    ) {
        (self.header, self.bytes, self.attachments) = (header, bytes, attachments)
        (self.bodyStart, self.descriptors) = (bodyStart, descriptors)
        byteCount = attachments.reduce(bytes.count) { $0 + $1.bytes.count }
    }

    /// Takes over a received message in memory from malloc(3).
    /// - Throws: ``MessageError/malformed(_:)`` if the header is invalid. The arguments are checked when they are read.
    package convenience init(received bytes: UnsafeMutableRawBufferPointer, descriptors: [Descriptor?])
        throws(MessageError)
    {
        do throws(MessageError) {
            var texts = HeaderTexts()
            let (header, bodyStart) = try MessageHeader.parse(UnsafeRawBufferPointer(bytes), &texts)
            guard header.descriptorCount <= descriptors.count else {
                throw .malformed("a message refers to more file descriptors than it carries")
            }
            let named = Array(descriptors.prefix(header.descriptorCount))
            self.init(header: header, bytes: bytes, bodyStart: bodyStart, descriptors: named)
        } catch {
            freeWiped(bytes)
            throw error
        }
    }

    /// The receiver's limits for the arguments; `nil` if only the limits of D-Bus apply.
    var bounds: WireBounds?

    /// Why the arguments cannot be used; `nil` if they can. If set, only the kind, serial numbers and sender are valid.
    private(set) var defect: MessageDefect?
    package var isDefective: Bool { defect != nil }

    /// What the message uses of a limit, until its call has finished or its bytes are sent; `nil` if it uses nothing.
    var charge: AnyObject?

    /// Creates a message without arguments, in place of a received one with a defect.
    convenience init(header: MessageHeader, defect: MessageDefect) {
        var header = header
        (header.signature, header.signatureEnd) = ("", 0)
        self.init(
            header: header, bytes: UnsafeMutableRawBufferPointer(start: nil, count: 0), bodyStart: 0, descriptors: [])
        self.defect = defect
    }

    /// Marks the message as defective, and closes its descriptors.
    func mark(_ defect: MessageDefect) {
        self.defect = defect
        descriptors = []
    }

    deinit { freeWiped(bytes) }

    public var kind: Kind? { Kind(rawValue: header.kind) }
    public var serial: UInt32 { header.serial }
    public var replySerial: UInt32 { header.replySerial }
    public var expectsReply: Bool { header.flags & MessageHeader.noReplyExpected == 0 }
    /// The receiver; `nil` on a peer-to-peer connection.
    package var destination: BusName? { header.destination.map { BusName(trusted: $0) } }
    /// The sender. A bus attests it; on a peer-to-peer connection, the peer may write any name.
    public var sender: BusName? { header.sender.map { BusName(trusted: $0) } }
    public var path: ObjectPath? { header.path.map { ObjectPath(trusted: $0) } }
    public var interface: String? { header.interface }
    public var member: String? { header.member }
    public var errorName: String? { header.errorName }
    public var signature: String { header.signature }

    var signatureBytes: ReceivedBytes {
        let length = header.signatureEnd == 0 ? 0 : header.signature.utf8.count
        return ReceivedBytes(bytes).part(header.signatureEnd - length, count: length)
    }

    /// Whether a value may refer to a descriptor by this index.
    func hasDescriptor(_ index: Int) -> Bool { index < descriptors.count && descriptors[index] != nil }

    /// The message text of an error reply: its first argument, if that is a string.
    var errorText: String {
        var reader = MessageReader(self)
        return (try? String(from: &reader)) ?? ""
    }

    /// Releases the bytes and descriptors of a call whose arguments have been read. Otherwise, an unanswered call would
    /// hold its arguments twice. The parts of the header that the answer needs are kept.
    func releaseArguments() {
        freeWiped(bytes)
        bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        descriptors = []
        (header.path, header.interface, header.destination) = (nil, nil, nil)
        (header.signature, header.signatureEnd) = ("", 0)
    }

    /// Passes the bytes from an offset on, up to the end of the message or of an attachment or to the next attachment.
    func withPiece<Result>(from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var (start, rest) = (0, offset)
        for attachment in attachments {
            let own = attachment.place - start
            if rest < own { return body(part(start + rest, upTo: attachment.place)) }
            rest -= own
            if rest < attachment.bytes.count {
                return attachment.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[rest...])) }
            }
            rest -= attachment.bytes.count
            start = attachment.place
        }
        return body(part(start + rest, upTo: bytes.count))
    }

    private func part(_ start: Int, upTo end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    package func setSerial(_ serial: UInt32) {
        header.serial = serial
        bytes.storeBytes(of: serial, toByteOffset: 8, as: UInt32.self)
    }
}

// MARK: Making messages

extension Message {
    package typealias Body = (inout MessageWriter) throws(MessageError) -> Void

    private convenience init(
        _ header: consuming MessageHeader, attaches: Bool = false, _ body: Body
    ) throws(MessageError) {
        var writer = MessageWriter(attaches: attaches)
        try header.write(to: &writer)
        let bodyStart = writer.count
        try body(&writer)
        let written = writer.take(bodyStart: bodyStart)
        self.init(
            header: header, bytes: written.bytes, attachments: written.attachments, bodyStart: bodyStart,
            descriptors: written.descriptors)
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
        return try Message(header, attaches: true, body)
    }

    static func methodReturn(for call: Message, signature: String, _ body: Body) throws(MessageError) -> Message {
        let header = MessageHeader(.methodReturn, to: call.header.sender, call.serial, signature: signature)
        return try Message(header, attaches: true, body)
    }

    static func error(for call: Message, _ error: ErrorReply) throws(MessageError) -> Message {
        try Self.error(MessageHeader(.error, to: call.header.sender, call.serial, signature: "s"), error)
    }

    /// Creates an error to send in place of `answer`.
    static func error(inPlaceOf answer: Message, _ error: ErrorReply) throws(MessageError) -> Message {
        try Self.error(
            MessageHeader(.error, to: answer.header.destination, answer.replySerial, signature: "s"), error)
    }

    /// Creates an error reply. Its text is shortened, because it may quote megabytes that a caller has sent.
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

/// Why the arguments of a message cannot be used. The message is dropped or rejected; the connection stays open.
enum MessageDefect: Error, Equatable {
    case tooLong(bytes: Int)
    /// The arguments of the caller's unfinished calls exceed its share.
    case overShare(bytes: Int)
    /// The header breaks the protocol, or descriptors are missing.
    case invalid(MessageError)

    /// The error for a call whose answer has this defect.
    var error: MessageError {
        switch self {
        case .tooLong(let bytes), .overShare(let bytes):
            .refused("a message of \(bytes) bytes is longer than this connection accepts")
        case .invalid(let error): error
        }
    }
}

// A message may carry a secret (I14), so its memory is overwritten before it is freed.

/// Overwrites bytes, even if the compiler sees that they are not read again.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
}

/// Overwrites and frees memory from malloc(3).
func freeWiped(_ bytes: UnsafeMutableRawBufferPointer) {
    wipe(bytes)
    free(bytes.baseAddress)
}
