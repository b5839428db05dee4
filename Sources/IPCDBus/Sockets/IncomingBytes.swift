internal import CLinux
internal import Glibc

/// What came over a socket and is not a whole message yet, with the descriptors that came with it.
struct IncomingBytes: ~Copyable {
    enum Received {
        case bytes, nothing, end
    }

    /// What short messages are read into, many at a time.
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private var start = 0
    private var count = 0
    /// A message that has no place there, and how much of it has come.
    private var large: (block: UnsafeMutableRawBufferPointer, count: Int)?
    private var descriptors: [Descriptor] = []
    private var texts = HeaderTexts()

    deinit {
        room.deallocate()
        if let large { free(large.block.baseAddress) }
    }

    /// Reads once.
    mutating func receive(from socket: CInt) -> Received {
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

    /// Descriptors that came and are in no message.
    var descriptorCount: Int { descriptors.count }

    mutating func consume(_ length: Int) {
        start += length
        count -= length
    }

    /// The next whole message; `nil` where none has come.
    /// - Throws: ``MessageError`` for what is no message; nothing that follows can be read then.
    mutating func nextMessage() throws(MessageError) -> Message? {
        if let (block, count) = large {
            guard count == block.count else { return nil }
            large = nil
            return try message(block)
        }
        guard count >= MessageHeader.fixedLength else { return nil }
        let bytes = bytes
        let length = try MessageHeader.messageLength(bytes)
        guard length <= room.count else {
            let block = try Self.block(length)
            memcpy(block.baseAddress!, bytes.baseAddress!, count)
            large = (block, count)
            consume(count)
            return nil
        }
        guard count >= length else { return nil }
        let block = try Self.block(length)
        memcpy(block.baseAddress!, bytes.baseAddress!, length)
        consume(length)
        return try message(block)
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
            free(block.baseAddress)
            throw error
        }
    }
}
