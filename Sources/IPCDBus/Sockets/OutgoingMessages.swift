internal import CLinux
internal import Glibc
internal import IPCQueues

/// The bytes and descriptors queued for a socket.
struct OutgoingMessages {
    /// Unsent lines of the authentication. Messages wait until the authentication is over.
    private var conversation: [UInt8] = []
    private var messages = Queue<Message>()
    private var sentOfFirst = 0
    /// The number of bytes not sent yet.
    private(set) var byteCount = 0
    /// The number of messages that are not completely sent.
    var messageCount: Int { messages.count }
    /// The number of descriptors in messages that are not completely sent.
    private(set) var descriptorCount = 0
    /// The number of messages that have been sent completely. Authentication lines sent together count as one.
    private(set) var wholeCount: UInt64 = 0

    private static let mostTogether = 64

    mutating func append(_ message: Message) {
        messages.append(message)
        byteCount += message.byteCount
        descriptorCount += message.descriptors.count
    }

    /// Adds a line of the authentication, which is sent before all messages.
    mutating func prepend(_ line: [UInt8]) {
        conversation += line
        byteCount += line.count
    }

    /// Whether a line of the authentication is sent next.
    var isConversation: Bool { !conversation.isEmpty }

    /// Whether the next byte carries descriptors, which are sent with the first byte of their message.
    var beginsDescriptors: Bool { !isConversation && !firstDescriptors.isEmpty }

    private var firstDescriptors: [Descriptor?] { sentOfFirst == 0 ? messages.next?.descriptors ?? [] : [] }

    /// Replaces the first message, or removes it if `other` returns `nil`. Does nothing if part of it has been sent.
    mutating func replaceFirst(_ other: (Message) -> Message?) {
        guard sentOfFirst == 0, let message = messages.next else { return }
        byteCount -= message.byteCount
        descriptorCount -= message.descriptors.count
        guard let other = other(message) else { return removeFirst() }
        other.setSerial(message.serial)
        messages[0] = other
        byteCount += other.byteCount
        descriptorCount += other.descriptors.count
    }

    /// Makes one write call. A message with attachments is sent piece by piece. A message with descriptors is sent on its own, because dbus-broker assigns descriptors to
    /// the last byte of the same read. If the next message were sent with it, that message would get the descriptors.
    /// - Returns: the number of bytes sent; -1 with `errno` if none could be sent.
    mutating func send(to socket: CInt) -> Int {
        if isConversation { return sendConversation(to: socket) }
        let descriptors = firstDescriptors.compactMap { $0?.rawValue }
        guard let first = messages.next else { return 0 }
        let most = descriptors.isEmpty && first.attachments.isEmpty ? min(messages.count, Self.mostTogether) : 1
        var count = 1
        while count < most, messages[count].descriptors.isEmpty, messages[count].attachments.isEmpty { count += 1 }
        let sent = first.withPiece(from: sentOfFirst) { piece in
            withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { vectors in
                vectors[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count)
                for index in 1..<count {
                    // The address of the bytes does not change while their message is in the queue.
                    let bytes = messages[index].bytes
                    vectors[index] = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                }
                return clinux_send(socket, vectors.baseAddress, CInt(count), descriptors, CInt(descriptors.count))
            }
        }
        if sent > 0 { left(sent) }
        return sent
    }

    private mutating func sendConversation(to socket: CInt) -> Int {
        let sent = conversation.withUnsafeMutableBytes { bytes in
            var line = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return clinux_send(socket, &line, 1, nil, 0)
        }
        guard sent > 0 else { return sent }
        conversation.removeFirst(sent)
        byteCount -= sent
        if conversation.isEmpty { wholeCount &+= 1 }
        return sent
    }

    private mutating func left(_ sent: Int) {
        byteCount -= sent
        sentOfFirst += sent
        while let message = messages.next, sentOfFirst >= message.byteCount {
            sentOfFirst -= message.byteCount
            descriptorCount -= message.descriptors.count
            removeFirst()
        }
    }

    private mutating func removeFirst() {
        _ = messages.takeFirst()
        wholeCount &+= 1
    }
}

/// How long a link waits if a message's descriptors cannot be sent. The system counts the descriptors in sockets per
/// user (unix(7), `ETOOMANYREFS`), so another process may have to read first. All later messages wait too, so the wait
/// is short, and is not repeated until sending has succeeded again.
@DBusActor
struct DescriptorPatience {
    private let timer = DBusTimer()
    private var since: ContinuousClock.Instant?

    static let most = Duration.milliseconds(100)
    private static let pause = Duration.milliseconds(10)

    /// Whether the link is holding back its messages.
    var isWaiting: Bool { timer.isSet }

    /// - Parameter retry: runs after a pause, if there is time for another attempt.
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
