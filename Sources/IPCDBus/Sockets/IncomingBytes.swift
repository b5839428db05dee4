internal import CLinux
internal import Glibc

/// What came over a socket and is not a whole message yet, with the descriptors that came with it.
package struct IncomingBytes: ~Copyable {
    package enum Received {
        case bytes, nothing, end
    }

    /// What short messages are read into, many at a time.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private var start = 0
    private var count = 0
    /// A message that has no place there, and how much of it has come.
    private var large: (block: UnsafeMutableRawBufferPointer, count: Int)?
    /// Of a message that is longer than any that is kept: its header, and how many bytes of it are still to come.
    private var cut: (message: Message, remaining: Int)?
    private var descriptors: [Descriptor] = []
    private var texts = HeaderTexts()
    /// The arguments of a longer message are not kept.
    var mostMessageBytes = MessageError.longestMessage

    package init() {}

    deinit {
        wipe(room)
        room.deallocate()
        // The rest has never been touched: wiping it would make it resident.
        if let large {
            wipe(UnsafeMutableRawBufferPointer(rebasing: large.block[..<large.count]))
            free(large.block.baseAddress)
        }
    }

    /// Reads once.
    package mutating func receive(from socket: CInt) -> Received {
        let place: UnsafeMutableRawBufferPointer
        if let large {
            place = UnsafeMutableRawBufferPointer(rebasing: large.block[large.count...])
        } else {
            if start > 0 {
                if count > 0 { memmove(room.baseAddress!, room.baseAddress! + start, count) }
                start = 0
            }
            place = UnsafeMutableRawBufferPointer(rebasing: room[count...])
        }
        return withUnsafeTemporaryAllocation(of: CInt.self, capacity: Int(CLINUX_MOST_DESCRIPTORS)) { numbers in
            var more: CInt = 0
            let received = clinux_receive(socket, place.baseAddress, place.count, numbers.baseAddress, &more)
            guard received > 0 else {
                return received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? .nothing : .end
            }
            for number in numbers.prefix(Int(more)) { descriptors.append(Descriptor(owning: number)) }
            if large != nil { large?.count += received } else { count += received }
            return .bytes
        }
    }

    /// What has come and is in no message.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[start..<(start + count)]) }

    /// How many bytes of a message that is not whole are kept.
    var heldCount: Int { count + (large?.count ?? 0) + (cut?.message.bytes.count ?? 0) }

    /// Whether the rest of a message is coming that is too long to be kept.
    var isCutting: Bool { cut != nil }

    /// Descriptors that came and are in no message.
    var descriptorCount: Int { descriptors.count }

    mutating func consume(_ length: Int) {
        start += length
        count -= length
    }

    /// The next whole message; `nil` where none has come.
    /// - Throws: ``MessageError`` for what is no message; nothing that follows can be read then.
    package mutating func nextMessage() throws(MessageError) -> Message? {
        if let (block, count) = large {
            guard count == block.count else { return nil }
            large = nil
            return try message(block)
        }
        if cut != nil { return nextCutMessage() }
        guard count >= MessageHeader.fixedLength else { return nil }
        let bytes = bytes
        let length = try MessageHeader.messageLength(bytes)
        guard length <= mostMessageBytes else {
            try cutMessage(length)
            return cut == nil ? nil : nextCutMessage()
        }
        guard length <= room.count else {
            let block = try Self.block(length)
            large = (block, count)
            take(count, to: block)
            return nil
        }
        guard count >= length else { return nil }
        let block = try Self.block(length)
        take(length, to: block)
        return try message(block)
    }

    /// What has been taken over stays nowhere else: it may be secret.
    private mutating func take(_ length: Int, to block: UnsafeMutableRawBufferPointer) {
        memcpy(block.baseAddress!, bytes.baseAddress!, length)
        wipe(UnsafeMutableRawBufferPointer(rebasing: room[start..<(start + length)]))
        consume(length)
    }

    // MARK: Messages that are too long

    /// Keeps the header, as that of a message without arguments.
    private mutating func cutMessage(_ length: Int) throws(MessageError) {
        let headerLength = MessageHeader.headerLength(bytes)
        guard headerLength <= room.count else { throw .malformed("the header of a message is too long") }
        guard count >= headerLength else { return }
        let block = try Self.block(headerLength)
        take(headerLength, to: block)
        MessageHeader.removeBody(of: block)
        let message = try message(block)
        message.markCut(from: length)
        cut = (message, length - headerLength)
    }

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

    /// Descriptors come with the first byte of their message, so those of the next message stand first.
    private mutating func message(_ block: UnsafeMutableRawBufferPointer) throws(MessageError) -> Message {
        do throws(MessageError) {
            let (header, bodyStart) = try MessageHeader.parse(UnsafeRawBufferPointer(block), &texts)
            guard header.descriptorCount <= descriptors.count else {
                throw .malformed("a message names more descriptors than came with it")
            }
            guard header.descriptorCount > 0 else {
                return Message(header: header, bytes: block, bodyStart: bodyStart, descriptors: [])
            }
            let named = Array(descriptors.prefix(header.descriptorCount))
            descriptors.removeFirst(named.count)
            return Message(header: header, bytes: block, bodyStart: bodyStart, descriptors: named)
        } catch {
            freeWiped(block)
            throw error
        }
    }
}
