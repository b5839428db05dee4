internal import Glibc

/// The part of a message before its arguments (D-Bus specification, "Message Format").
struct MessageHeader {
    var kind: UInt8
    var flags: UInt8 = 0
    var serial: UInt32 = 0
    var replySerial: UInt32 = 0
    var path: String?
    var interface: String?
    var member: String?
    var errorName: String?
    var destination: String?
    var sender: String?
    var signature: String
    /// The offset in the message at which the signature ends; 0 if there is no signature.
    var signatureEnd = 0
    var descriptorCount = 0
    var isBigEndian = false

    /// The path and the interface of messages that a D-Bus library sends to its own program (D-Bus specification,
    /// "Message Types"). A bus rejects messages that contain them.
    static let (reservedPath, reservedInterface) = ("/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local")

    static let noReplyExpected: UInt8 = 1
    static let noAutoStart: UInt8 = 2

    /// The length of a header's fixed part. It precedes the fields, and contains the lengths of fields and arguments.
    static let fixedLength = 16
    private static let version: UInt8 = 1
    private static let fieldType: Signature = "(yv)"
    private static let littleEndian = UInt8(ascii: "l")
    static let bigEndian = UInt8(ascii: "B")

    /// D-Bus specification, "Header Fields".
    enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature, descriptorCount

        var type: Unicode.Scalar {
            switch self {
            case .path: "o"
            case .signature: "g"
            case .replySerial, .descriptorCount: "u"
            case .interface, .member, .errorName, .destination, .sender: "s"
            }
        }
    }

    init(_ kind: Message.Kind, signature: String) {
        self.kind = kind.rawValue
        self.signature = signature
    }

    init() { (kind, signature) = (0, "") }

    init(_ kind: Message.Kind, to caller: String?, _ replySerial: UInt32, signature: String) {
        self.init(kind, signature: signature)
        (destination, self.replySerial, flags) = (caller, replySerial, Self.noReplyExpected)
    }
}

// MARK: Writing

extension MessageHeader {
    /// Writes the header. The descriptor count comes last, because it is filled in after the arguments are written.
    mutating func write(to writer: inout MessageWriter) throws(MessageError) {
        guard !Self.isReserved(path, Self.reservedPath), !Self.isReserved(interface, Self.reservedInterface) else {
            throw .invalidName(
                "\(Self.reservedPath) and \(Self.reservedInterface) are reserved, so no message can have them")
        }
        try writer.fixed("y", Self.littleEndian)
        try writer.fixed("y", kind)
        try writer.fixed("y", flags)
        try writer.fixed("y", Self.version)
        try writer.fixed("u", UInt32(0))
        // A placeholder for the serial number. It is not 0, because 0 is invalid and some receivers reject it.
        try writer.fixed("u", UInt32(1))
        try writer.array(of: Self.fieldType) { (fields) throws(MessageError) in
            if let path { try Self.text(.path, path, &fields) }
            if let interface { try Self.text(.interface, interface, &fields) }
            if let member { try Self.text(.member, member, &fields) }
            if let errorName { try Self.text(.errorName, errorName, &fields) }
            if replySerial != 0 { try Self.number(.replySerial, replySerial, &fields) }
            if let destination { try Self.text(.destination, destination, &fields) }
            if !signature.isEmpty {
                try Self.text(.signature, signature, &fields)
                // The last byte is the NUL character that follows the signature.
                signatureEnd = fields.count - 1
            }
            guard mayCarryDescriptors else { return }
            try Self.number(.descriptorCount, 0, &fields)
            fields.noteDescriptorCount()
        }
        writer.align(8)
    }

    /// Whether `text` equals `reserved`. Compares the lengths first, because this runs for every message sent.
    private static func isReserved(_ text: String?, _ reserved: String) -> Bool {
        text.map { $0.utf8.count == reserved.utf8.count && $0 == reserved } ?? false
    }

    private var mayCarryDescriptors: Bool {
        signature.utf8.contains { $0 == UInt8(ascii: "h") || $0 == UInt8(ascii: "v") }
    }

    private static func text(_ field: Field, _ value: String, _ writer: inout MessageWriter) throws(MessageError) {
        try begin(field, &writer)
        try writer.text(field.type, value)
    }

    private static func number(_ field: Field, _ value: UInt32, _ writer: inout MessageWriter) throws(MessageError) {
        try begin(field, &writer)
        try writer.fixed("u", value)
    }

    private static func begin(_ field: Field, _ writer: inout MessageWriter) throws(MessageError) {
        writer.align(8)
        try writer.fixed("y", field.rawValue)
        try writer.fixed("y", UInt8(1))
        try writer.fixed("y", UInt8(ascii: field.type))
        try writer.fixed("y", UInt8(0))
    }
}

// MARK: Reading

extension MessageHeader {
    /// Returns the length of a message, given its first 16 bytes.
    /// - Throws: ``MessageError`` if these bytes do not start a message, or the message is too long.
    static func messageLength(_ start: UnsafeRawBufferPointer) throws(MessageError) -> Int {
        let isBig = start[0] == bigEndian
        guard isBig || start[0] == littleEndian else {
            throw .malformed("this is not a message: its byte order is unknown")
        }
        guard start[3] == version else { throw .malformed("version \(start[3]) of the protocol is unknown") }
        let body = number(start, 4, isBig)
        guard number(start, 12, isBig) <= UInt32(MessageError.longestArray),
            body <= UInt32(MessageError.longestMessage)
        else { throw .malformed("a message is too long") }
        let length = headerLength(start) + Int(body)
        guard length <= MessageError.longestMessage else { throw .messageTooLong(bytes: length) }
        return length
    }

    /// Returns the length of a header including its padding, given its first 16 bytes.
    static func headerLength(_ start: UnsafeRawBufferPointer) -> Int {
        (fixedLength + Int(number(start, 12, start[0] == bigEndian)) + 7) & ~7
    }

    /// Changes a header so that the message has no arguments.
    static func removeBody(of header: UnsafeMutableRawBufferPointer) {
        header.storeBytes(of: 0, toByteOffset: 4, as: UInt32.self)
    }

    static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ isBig: Bool) -> UInt32 {
        let number = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBig ? UInt32(bigEndian: number) : UInt32(littleEndian: number)
    }

    /// - Parameter texts: the header strings of earlier messages, most of which the next message repeats.
    /// - Returns: the header, and the offset of the arguments.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, _ texts: inout HeaderTexts
    ) throws(MessageError) -> (MessageHeader, bodyStart: Int) {
        guard bytes.count >= fixedLength, try messageLength(bytes) == bytes.count else {
            throw .malformed("a message ends too early")
        }
        var header = MessageHeader()
        header.isBigEndian = bytes[0] == bigEndian
        (header.kind, header.flags) = (bytes[1], bytes[2])
        header.serial = number(bytes, 8, header.isBigEndian)
        let end = fixedLength + Int(number(bytes, 12, header.isBigEndian))
        var at = fixedLength
        var seen: UInt16 = 0
        while at < end {
            at = try padded(bytes, at)
            at = try header.readField(bytes, at: at, end: end, &seen, &texts)
        }
        try header.check()
        return (header, try padded(bytes, end))
    }

    /// Rounds an offset up to a multiple of 8, and checks that all bytes in between are zero.
    private static func padded(_ bytes: UnsafeRawBufferPointer, _ place: Int) throws(MessageError) -> Int {
        let next = (place + 7) & ~7
        for at in place..<next {
            guard at < bytes.count, bytes[at] == 0 else {
                throw .malformed("the padding between two header fields is not zero")
            }
        }
        return next
    }

    /// Reads one field. Reading a short message spends most of its time here, so this does not use ``MessageReader``.
    /// - Parameter seen: has one bit for each known field that came before this one.
    /// - Returns: the end of the field.
    private mutating func readField(
        _ bytes: UnsafeRawBufferPointer, at: Int, end: Int, _ seen: inout UInt16, _ texts: inout HeaderTexts
    ) throws(MessageError) -> Int {
        // The shortest field has four bytes for its number and type, and one byte for its value.
        guard at + 5 <= end else { throw .malformed("a header field extends past the end of the header") }
        guard bytes[at] != 0 else { throw .malformed("a header field has the number 0") }
        guard let field = Field(rawValue: bytes[at]) else {
            // Skip a field from a later version of the protocol.
            var skipper = ValueSkipper(ReceivedBytes(bytes), isBigEndian: isBigEndian, message: nil, at: at, end: end)
            try skipper.skip(ReceivedBytes("(yv)"), depth: 1)
            return skipper.at
        }
        guard bytes[at + 1] == 1, bytes[at + 2] == UInt8(ascii: field.type), bytes[at + 3] == 0 else {
            throw .malformed("a header field has the wrong type")
        }
        let bit = UInt16(1) << UInt16(field.rawValue)
        guard seen & bit == 0 else { throw .malformed("a header field appears twice") }
        seen |= bit
        guard at + (field == .signature ? 6 : 8) <= end else {
            throw .malformed("a header field extends past the end of the header")
        }
        switch field {
        case .replySerial:
            replySerial = Self.number(bytes, at + 4, isBigEndian)
            guard replySerial != 0 else {
                throw .malformed("a message answers a call with the serial number 0, which is invalid")
            }
        case .descriptorCount: descriptorCount = Int(Self.number(bytes, at + 4, isBigEndian))
        case .signature:
            let content = try Self.text(bytes, from: at + 5, length: Int(bytes[at + 4]), end: end)
            signature = try texts.signature.string(content)
            signatureEnd = at + 5 + content.count
            return signatureEnd + 1
        default:
            let length = Int(Self.number(bytes, at + 4, isBigEndian))
            let content = try Self.text(bytes, from: at + 8, length: length, end: end)
            try set(field, content, &texts)
            return at + 8 + length + 1
        }
        return at + 8
    }

    private mutating func set(
        _ field: Field, _ content: UnsafeRawBufferPointer, _ texts: inout HeaderTexts
    ) throws(MessageError) {
        switch field {
        case .path: path = try texts.path.string(content)
        case .interface: interface = try texts.interface.string(content)
        case .member: member = try texts.member.string(content)
        case .errorName: errorName = try texts.errorName.string(content)
        case .destination: destination = try texts.destination.string(content)
        case .sender: sender = try texts.sender.string(content)
        case .signature, .replySerial, .descriptorCount: break
        }
    }

    private static func text(
        _ bytes: UnsafeRawBufferPointer, from start: Int, length: Int, end: Int
    ) throws(MessageError) -> UnsafeRawBufferPointer {
        guard length < end - start, bytes[start + length] == 0 else {
            throw .malformed("a string in a header extends past the end of the header")
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)])
    }

    /// Checks that the required fields are present (D-Bus specification, "Message Types").
    private func check() throws(MessageError) {
        let isComplete =
            switch Message.Kind(rawValue: kind) {
            case .methodCall: path != nil && member != nil
            case .methodReturn: replySerial != 0
            case .error: replySerial != 0 && errorName != nil
            case .signal: path != nil && member != nil && interface != nil
            case nil: kind != 0
            }
        guard isComplete, serial != 0 else { throw .malformed("a header lacks a field that its message type requires") }
    }
}

/// The strings in the last headers that a link received. If the next header repeats them, they need no second check.
struct HeaderTexts {
    var path = Last { $0 != MessageHeader.reservedPath && (try? ObjectPath($0)) != nil }
    var interface = Last { $0 != MessageHeader.reservedInterface && (try? InterfaceName($0)) != nil }
    var member = Last { (try? MemberName($0)) != nil }
    var errorName = Last { (try? ErrorName($0)) != nil }
    var destination = Last { (try? BusName($0)) != nil }
    var sender = Last { (try? BusName($0)) != nil }
    var signature = Last(isRight: SignatureGrammar.isValid)

    struct Last {
        private var text: String?
        private let isRight: (String) -> Bool

        init(isRight: @escaping (String) -> Bool) { self.isRight = isRight }

        mutating func string(_ content: UnsafeRawBufferPointer) throws(MessageError) -> String {
            if let text, text.hasBytes(content) { return text }
            guard let text = String(wire: content), isRight(text) else {
                throw .malformed("a header field has an invalid value")
            }
            self.text = text
            return text
        }
    }
}

extension String {
    /// Decodes a string of a received message; `nil` if it is not UTF-8 or contains a NUL character.
    init?(wire content: UnsafeRawBufferPointer) {
        guard ReceivedBytes(content).isText else { return nil }
        self.init(decoding: content, as: UTF8.self)
    }

    /// Whether these bytes are the string in UTF-8.
    func hasBytes(_ content: UnsafeRawBufferPointer) -> Bool {
        var text = self
        return text.withUTF8 { own in
            guard own.count == content.count else { return false }
            guard let start = own.baseAddress, let other = content.baseAddress else { return true }
            return memcmp(start, other, own.count) == 0
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether this is ASCII without a NUL character, like most strings. Eight bytes are checked at once.
    var isASCIIText: Bool {
        var at = 0
        while at + 8 <= count {
            let word = loadUnaligned(fromByteOffset: at, as: UInt64.self)
            // In a byte of 0, subtracting 1 sets the highest bit.
            guard (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 == 0 else { return false }
            at += 8
        }
        while at < count {
            guard (1...127).contains(self[at]) else { return false }
            at += 1
        }
        return true
    }
}
