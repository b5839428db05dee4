internal import CLinux
internal import Glibc

/// The queue of bytes and descriptors for a socket.
struct OutgoingMessages {
    private struct Part {
        enum Content {
            case message(Message)
            /// A line of the conversation before the first message.
            case conversation([UInt8])
        }

        let content: Content
        let (byteCount, descriptorCount): (Int, Int)

        init(_ message: Message) {
            content = .message(message)
            (byteCount, descriptorCount) = (message.bytes.count, message.descriptors.count)
        }

        init(conversation line: [UInt8]) {
            content = .conversation(line)
            (byteCount, descriptorCount) = (line.count, 0)
        }

        /// Replaces a part that has left, or that is not sent.
        static let nothing = Part(conversation: [])

        var isConversation: Bool { if case .conversation = content { true } else { false } }

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            switch content {
            case .message(let message): body(UnsafeRawBufferPointer(message.bytes))
            case .conversation(let bytes): bytes.withUnsafeBytes(body)
            }
        }

        var descriptors: [CInt] {
            guard descriptorCount > 0, case .message(let message) = content else { return [] }
            return message.descriptors.compactMap { $0?.rawValue }
        }
    }

    private var parts: [Part] = []
    /// The index of the first part that has not left completely.
    private var first = 0
    private var sentOfFirst = 0
    /// The bytes that have not left.
    private(set) var byteCount = 0
    /// The descriptors of parts that have not left completely.
    private(set) var descriptorCount = 0
    /// The count of parts that have left completely.
    private(set) var wholeCount: UInt64 = 0

    private static let mostTogether = 64

    mutating func append(_ message: Message) {
        let part = Part(message)
        parts.append(part)
        byteCount += part.byteCount
        descriptorCount += part.descriptorCount
    }

    /// Adds a line of the conversation before all messages.
    mutating func prepend(_ line: [UInt8]) {
        var place = first
        while place < parts.count, parts[place].isConversation { place += 1 }
        parts.insert(Part(conversation: line), at: place)
        byteCount += line.count
    }

    /// Whether the first part is a line of the conversation.
    var isConversation: Bool { first < parts.count && parts[first].isConversation }

    /// Whether descriptors leave next: they leave with the first byte of their message.
    var beginsDescriptors: Bool { sentOfFirst == 0 && first < parts.count && parts[first].descriptorCount > 0 }

    /// Replaces the first message by another one or by none, if no byte of it has left.
    mutating func replaceFirst(_ other: (Message) -> Message?) {
        guard sentOfFirst == 0, first < parts.count, case .message(let message) = parts[first].content else { return }
        let (old, other) = (parts[first], other(message))
        other?.setSerial(message.serial)
        let new = other.map { Part($0) } ?? .nothing
        parts[first] = new
        byteCount += new.byteCount - old.byteCount
        descriptorCount += new.descriptorCount - old.descriptorCount
        left(0)
    }

    /// Makes one write call. A message with descriptors leaves alone: dbus-broker assigns descriptors to the last byte that it
    /// reads with them, which would be in the next message.
    /// - Returns: the count of bytes that have left; -1 with `errno` if none could.
    mutating func send(to socket: CInt) -> Int {
        var end = first + 1
        let isConversation = isConversation
        let descriptors = sentOfFirst == 0 ? parts[first].descriptors : []
        while end < parts.count, end - first < Self.mostTogether, descriptors.isEmpty, parts[end].descriptorCount == 0 {
            // Messages wait for the end of the conversation.
            if isConversation, !parts[end].isConversation { break }
            end += 1
        }
        let sent = withUnsafeTemporaryAllocation(of: iovec.self, capacity: end - first) { vectors in
            for index in first..<end {
                // The bytes do not move while their part is in the list.
                let bytes = parts[index].withBytes { $0 }
                let passed = index == first ? sentOfFirst : 0
                vectors[index - first] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress.map { $0 + passed }),
                    iov_len: bytes.count - passed)
            }
            return clinux_send(
                socket, vectors.baseAddress, CInt(end - first), descriptors, CInt(descriptors.count))
        }
        if sent > 0 { left(sent) }
        return sent
    }

    private mutating func left(_ sent: Int) {
        byteCount -= sent
        sentOfFirst += sent
        while first < parts.count, sentOfFirst >= parts[first].byteCount {
            sentOfFirst -= parts[first].byteCount
            descriptorCount -= parts[first].descriptorCount
            wholeCount &+= 1
            // Releases the message before the list is empty.
            parts[first] = .nothing
            first += 1
        }
        if first == parts.count {
            parts.removeAll(keepingCapacity: first <= 256)
            first = 0
        } else if first > 256 {
            parts.removeFirst(first)
            first = 0
        }
    }
}

/// The time that a link waits when the descriptors of a message cannot leave.
///
/// The system counts the descriptors in sockets for each user (unix(7), `ETOOMANYREFS`), so another process may have to read
/// first. All later messages wait too, so the wait is short, and only the first message has it while the state lasts.
@DBusActor
struct DescriptorPatience {
    private let timer = DBusTimer()
    private var since: ContinuousClock.Instant?

    static let most = Duration.milliseconds(100)
    private static let pause = Duration.milliseconds(10)

    /// Whether the link sends nothing now.
    var isWaiting: Bool { timer.isSet }

    /// - Parameter retry: runs after a pause, if this returns true.
    /// - Returns: whether there is time for another attempt.
    mutating func waits(_ retry: @escaping @DBusActor () -> Void) -> Bool {
        let now = ContinuousClock.now
        let since = since ?? now
        self.since = since
        guard now < since + Self.most else { return false }
        timer.set(at: now + Self.pause, retry)
        return true
    }

    mutating func end() {
        guard since != nil else { return }
        timer.cancel()
        since = nil
    }
}
