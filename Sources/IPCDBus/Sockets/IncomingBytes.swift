internal import CLinux
internal import Glibc

/// The bytes and descriptors received for messages that are not complete yet.
package struct IncomingBytes: ~Copyable {
    package enum Received {
        case bytes, nothing, end
    }

    /// What to do with a message that is longer than the buffer.
    enum Admission {
        case taken(ArrivingBytes.Charge?)
        /// The message's arguments are dropped.
        case refused
        /// The message stays in the socket and the buffer. The socket must not be read until the message is admitted.
        case later
    }

    /// The buffer for short messages.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private var start = 0
    private var count = 0
    /// A message that is longer than the buffer, and the number of its bytes received so far.
    private var large: (block: UnsafeMutableRawBufferPointer, count: Int)?
    private var largeCharge: ArrivingBytes.Charge?
    private(set) var awaitsAdmission = false
    /// Whether the last read filled the buffer, so that the socket may hold more.
    private(set) var mayHaveMore = false
    /// A message whose arguments are dropped (`nil` if its header is too long), and how many bytes are still to come.
    private var cut: (message: Message?, remaining: Int)?
    /// The received descriptors not yet assigned to a message. A failure replaces all descriptors of one message.
    private var descriptors: [Result<Descriptor, MessageError>] = []
    private var texts = HeaderTexts()
    /// The size limit of a message. The arguments of a longer message are dropped.
    var mostMessageBytes = MessageError.longestMessage
    /// The limit of descriptors per message. A message with more loses all of them.
    var mostDescriptors = Int(CLINUX_MOST_DESCRIPTORS)

    package init() {}

    deinit {
        wipe(room)
        room.deallocate()
        // Wipes only the used part of the block: writing to the rest would make the system allocate memory for it.
        if let large {
            wipe(UnsafeMutableRawBufferPointer(rebasing: large.block[..<large.count]))
            free(large.block.baseAddress)
        }
    }

    /// - Parameter most: how many bytes of short messages to read.
    package mutating func receive(from socket: CInt, atMost most: Int = .max) -> Received {
        let place: UnsafeMutableRawBufferPointer
        if let large {
            place = UnsafeMutableRawBufferPointer(rebasing: large.block[large.count...])
        } else {
            if start > 0 {
                if count > 0 { memmove(room.baseAddress!, room.baseAddress! + start, count) }
                start = 0
            }
            place = UnsafeMutableRawBufferPointer(rebasing: room[count...].prefix(most))
        }
        return withUnsafeTemporaryAllocation(of: CInt.self, capacity: Int(CLINUX_MOST_DESCRIPTORS)) { numbers in
            var more: CInt = 0
            let received = clinux_receive(socket, place.baseAddress, place.count, numbers.baseAddress, &more)
            mayHaveMore = received == place.count
            guard received > 0 else {
                return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? .nothing : .end
            }
            if more != 0 { take(UnsafeBufferPointer(rebasing: numbers.prefix(max(0, Int(more)))), areAll: more > 0) }
            if large != nil { large?.count += received } else { count += received }
            return .bytes
        }
    }

    /// Takes over the descriptors of one message. They arrive with its first byte, never with another message's bytes.
    private mutating func take(_ numbers: UnsafeBufferPointer<CInt>, areAll: Bool) {
        let arrived = numbers.map { Descriptor(owning: $0) }
        guard areAll else { return descriptors.append(.failure(.descriptorUnavailable)) }
        // A read may complete one message and start the next, so the descriptors of both may be unassigned.
        guard descriptors.count + arrived.count <= 2 * mostDescriptors else {
            // The sender has attached too many descriptors to one message, by writing it in several parts.
            descriptors = [.failure(.tooManyDescriptors(descriptors.count + arrived.count))]
            return
        }
        descriptors += arrived.map { .success($0) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[start..<(start + count)]) }

    /// The number of bytes held for the incomplete message.
    var heldCount: Int { count + (large?.count ?? 0) + (cut?.message?.bytes.count ?? 0) }

    /// Whether a message longer than the buffer is arriving.
    var isInMessage: Bool { large != nil || cut != nil }

    var descriptorCount: Int { descriptors.count }

    mutating func consume(_ length: Int) {
        start += length
        count -= length
    }

    package mutating func nextMessage() throws(MessageError) -> Message? { try nextMessage { _, _ in .taken(nil) } }

    /// Returns the next complete message, which may have a defect; `nil` if none has arrived.
    /// - Parameter admit: decides on a message that is longer than the buffer, given its header and its length.
    /// - Throws: ``MessageError`` if the bytes do not start a message. Then no further message can be read.
    mutating func nextMessage(admit: (MessageHeader, Int) -> Admission) throws(MessageError) -> Message? {
        awaitsAdmission = false
        if let (block, count) = large {
            guard count == block.count else { return nil }
            large = nil
            let message = message(block)
            (message.charge, largeCharge) = (largeCharge, nil)
            return message
        }
        if cut != nil, let message = nextCutMessage() { return message }
        guard cut == nil else { return nil }
        guard count >= MessageHeader.fixedLength else {
            // Descriptors arrive with the first byte of their message. If no byte is left, these belong to no message.
            if count == 0 { descriptors = [] }
            return nil
        }
        let bytes = bytes
        let length = try MessageHeader.messageLength(bytes)
        guard length <= mostMessageBytes else {
            try cutMessage(length, .tooLong(bytes: length))
            return cut == nil ? nil : try nextMessage(admit: admit)
        }
        guard length <= room.count else { return try beginLarge(length, bytes, admit: admit) }
        guard count >= length else { return nil }
        let block = try Self.block(length)
        take(length, to: block)
        return message(block)
    }

    /// Allocates memory for a message that is longer than the buffer, once its header has arrived and it is admitted.
    private mutating func beginLarge(
        _ length: Int, _ bytes: UnsafeRawBufferPointer, admit: (MessageHeader, Int) -> Admission
    ) throws(MessageError) -> Message? {
        let headerLength = MessageHeader.headerLength(bytes)
        if headerLength <= room.count {
            guard count >= headerLength else { return nil }
            switch admit(MessageHeader(faulty: bytes), length) {
            case .taken(let charge): largeCharge = charge
            case .refused:
                try cutMessage(length, .overShare(bytes: length))
                return try nextMessage(admit: admit)
            case .later:
                awaitsAdmission = true
                return nil
            }
        }
        let block = try Self.block(length)
        large = (block, count)
        take(count, to: block)
        return nil
    }

    /// Moves bytes out of the buffer, and overwrites them there, because they may be secret.
    private mutating func take(_ length: Int, to block: UnsafeMutableRawBufferPointer) {
        memcpy(block.baseAddress!, bytes.baseAddress!, length)
        wipe(UnsafeMutableRawBufferPointer(rebasing: room[start..<(start + length)]))
        consume(length)
    }

    // MARK: Messages whose arguments are not kept

    /// Drops the arguments of a message. Keeps the header as a message, unless it is longer than the buffer.
    private mutating func cutMessage(_ length: Int, _ defect: MessageDefect) throws(MessageError) {
        let headerLength = MessageHeader.headerLength(bytes)
        guard headerLength <= room.count else {
            cut = (nil, length)
            // All descriptors belong to this message: no byte of the next one has arrived.
            descriptors = []
            return
        }
        guard count >= headerLength else { return }
        let block = try Self.block(headerLength)
        take(headerLength, to: block)
        MessageHeader.removeBody(of: block)
        let message = message(block)
        if message.defect == nil { message.mark(defect) }
        cut = (message, length - headerLength)
    }

    /// Skips dropped arguments. At their end, returns the message if its header was kept; otherwise `nil`.
    private mutating func nextCutMessage() -> Message? {
        guard let (message, remaining) = cut else { return nil }
        let more = min(count, remaining)
        consume(more)
        guard more == remaining else {
            cut = (message, remaining - more)
            return nil
        }
        cut = nil
        return message
    }

    private static func block(_ length: Int) throws(MessageError) -> UnsafeMutableRawBufferPointer {
        guard let block = malloc(length) else { throw .outOfMemory }
        return UnsafeMutableRawBufferPointer(start: block, count: length)
    }

    /// Creates a message from a block of the message's length. If its content is invalid, the message has a defect.
    private mutating func message(_ block: UnsafeMutableRawBufferPointer) -> Message {
        let (header, bodyStart): (MessageHeader, Int)
        do throws(MessageError) {
            (header, bodyStart) = try MessageHeader.parse(UnsafeRawBufferPointer(block), &texts)
        } catch {
            defer { freeWiped(block) }
            let header = MessageHeader(faulty: UnsafeRawBufferPointer(block))
            _ = try? takeDescriptors(header.descriptorCount)
            return Message(header: header, defect: .invalid(error))
        }
        do throws(MessageError) {
            let own = header.descriptorCount == 0 ? [] : try takeDescriptors(header.descriptorCount)
            return Message(header: header, bytes: block, bodyStart: bodyStart, descriptors: own)
        } catch {
            freeWiped(block)
            return Message(header: header, defect: .invalid(error))
        }
    }

    /// Takes a message's descriptors: the first ones, because they arrive with the first byte of their message.
    private mutating func takeDescriptors(_ count: Int) throws(MessageError) -> [Descriptor] {
        let own = descriptors.prefix(count)
        if let missing = own.firstIndex(where: { if case .failure = $0 { true } else { false } }) {
            descriptors.removeFirst(missing + 1)
            _ = try own[missing].get()
        }
        descriptors.removeFirst(own.count)
        guard count <= mostDescriptors else { throw .tooManyDescriptors(count) }
        guard own.count == count else { throw .malformed("a message refers to more file descriptors than it carries") }
        return own.compactMap { try? $0.get() }
    }
}
