import Glibc
import IPCDBusOracle
import Testing

@testable import IPCDBus

/// The exchange between two ends of a socket.
@DBusActor
@Suite(.timeLimit(.minutes(1)))
struct LinkTests {
    static func pair() throws -> (Descriptor, Descriptor) {
        var pair: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        return (Descriptor(owning: pair[0]), Descriptor(owning: pair[1]))
    }

    static func server(_ socket: Descriptor) -> Link {
        Link(socket, Authentication(.server(peer: getuid(), own: getuid(), id: "1234"), user: getuid()))
    }

    /// The messages that a link receives. The stream ends when the link ends.
    static func messages(_ link: Link) -> AsyncStream<Message> {
        let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
        link.receive = { continuation.yield($0) }
        link.ended = { continuation.finish() }
        return stream
    }

    private static func signal(_ number: UInt32, _ bytes: Int, _ descriptor: Descriptor?) throws -> Message {
        try Message.signal(
            path: "/", interface: "a.b", member: "M", to: nil, signature: descriptor == nil ? "uay" : "uayh"
        ) { (writer) throws(MessageError) in
            try number.write(to: &writer)
            try [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes).write(to: &writer)
            try descriptor?.write(to: &writer)
        }
    }

    static func file(_ number: UInt32) throws -> Descriptor {
        try withUnsafeBytes(of: number) { try Descriptor.sealed(containing: $0) }
    }

    @Test func messagesAndDescriptorsArriveInOrderOverANearlyFullSocket() async throws {
        let (one, other) = try Self.pair()
        var size: CInt = 1
        try #require(setsockopt(one.rawValue, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size)) == 0)
        let client = Link(one, Authentication(.client(server: nil), user: getuid()))
        let server = Self.server(other)
        let messages = Self.messages(server)
        let lengths = [0, 10, 5_000, 100_000, 3, 70_000, 1]
        for number in UInt32(0)..<60 {
            let descriptor = number % 3 == 1 ? try Self.file(number) : nil
            client.send(try Self.signal(number, lengths[Int(number) % lengths.count], descriptor))
        }
        let waited = client.bytesWaiting
        var next: UInt32 = 0
        for await message in messages {
            var reader = MessageReader(message)
            let number = try UInt32(from: &reader)
            #expect(number == next && message.serial == next + 1)
            let bytes = try [UInt8](from: &reader)
            let areRight =
                bytes.count == lengths[Int(number) % lengths.count]
                && bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: number) }
            #expect(areRight)
            #expect((message.signature == "uayh") == (number % 3 == 1))
            if number % 3 == 1 {
                let file = try Descriptor(from: &reader)
                var content: UInt32 = 0
                #expect(pread(file.rawValue, &content, 4, 0) == 4 && content == number)
            }
            next += 1
            if next == 60 { break }
        }
        #expect(next == 60 && waited > 0 && client.bytesWaiting == 0)
    }

    /// The peer's messages arrive and the link is closed without any other work on the thread in between.
    @Test(arguments: [true, false])
    func bytesBeforeTheEndAreReadOnlyOnRequest(_ isAskedFor: Bool) async throws {
        let (one, other) = try Self.pair()
        let client = Link(one, Authentication(.client(server: nil), user: getuid()))
        let server = Self.server(other)
        var received: [UInt32] = []
        let (first, told) = AsyncStream.makeStream(of: Void.self)
        server.receive = {
            received.append($0.serial)
            told.yield()
        }
        client.send(try Self.signal(1, 10, nil))
        for await _ in first { break }
        client.send(try Self.signal(2, 10_000, nil))
        client.send(try Self.signal(3, 2_000_000, nil))
        client.close()
        if isAskedFor { server.takeInRest() }
        server.close()
        // The third message was too long to be sent completely before the client closed.
        #expect(received == (isAskedFor ? [1, 2] : [1]))
    }

    /// Some receivers, such as dbus-broker, assign descriptors to the last byte that is read together with them. They
    /// must find the descriptors in the right message.
    @Test func `a message with descriptors is sent alone`() throws {
        let (one, other) = try Self.pair()
        var outgoing = OutgoingMessages()
        let messages = [
            try Self.signal(1, 10, nil), try Self.signal(2, 20, try Self.file(2)), try Self.signal(3, 30, nil),
            try Self.signal(4, 40, nil),
        ]
        for message in messages { outgoing.append(message) }
        let lengths = messages.map(\.bytes.count)
        var sent: [Int] = []
        while outgoing.byteCount > 0 { sent.append(outgoing.send(to: one.rawValue)) }
        #expect(sent == [lengths[0], lengths[1], lengths[2] + lengths[3]])
        withExtendedLifetime(other) {}
    }

    /// Sends a client's greeting, then the parts, each with its own number of descriptors.
    private static func say(_ parts: [(bytes: [UInt8], descriptors: Int)], over socket: Descriptor) throws {
        let hello = Array("\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8)
        for part in [(bytes: hello, descriptors: 0)] + parts {
            var outgoing = OutgoingMessages()
            outgoing.append(try raw(part.bytes, descriptors: part.descriptors))
            try #require(outgoing.send(to: socket.rawValue) == part.bytes.count)
        }
    }

    /// A message whose bytes are replaced by arbitrary ones, so that they can be sent.
    private static func raw(_ bytes: [UInt8], descriptors: Int) throws -> Message {
        let copy = try #require(malloc(bytes.count))
        bytes.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        return Message(
            header: MessageHeader(.signal, signature: ""),
            bytes: UnsafeMutableRawBufferPointer(start: copy, count: bytes.count), bodyStart: 0,
            descriptors: try (0..<descriptors).map { _ -> Descriptor in try #require(Descriptor(duplicating: 0)) })
    }

    private nonisolated static let withDescriptors = WireBytes.message(
        signature: "hhh", body: [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]
    ) {
        $0.field(9, "u") { $0.number(UInt32(3)) }
    }

    @Test func aMessageKeepsItsDescriptorsForAnyFragmentation() async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        link.limitMessages(bytes: MessageError.longestMessage, descriptors: 3)
        let messages = Self.messages(link)
        let bytes = Self.withDescriptors
        try Self.say(
            [
                (Array(bytes[..<1]), 3), (Array(bytes[1..<20]), 0), (Array(bytes[20...]) + bytes[..<5], 0),
            ], over: one)
        for await message in messages {
            #expect(try message.values().count == 3)
            break
        }
        #expect(link.isOpen)
    }

    /// Sends these parts and a valid last message, which must arrive, and returns the defects of the messages before
    /// it.
    private static func defects(_ parts: [(bytes: [UInt8], descriptors: Int)]) async throws -> [MessageDefect?] {
        let (one, other) = try pair()
        let link = server(other)
        link.limitMessages(bytes: 100_000, descriptors: 3)
        let messages = messages(link)
        try say(parts, over: one)
        // The last message is sent by a separate call, so that earlier descriptors do not arrive with its bytes.
        try say(over: one, last)
        var found: [MessageDefect?] = []
        for await message in messages {
            if message.defect == nil, message.signature == "y" { break }
            found.append(message.defect)
        }
        #expect(link.isOpen)
        return found
    }

    private nonisolated static let last = WireBytes.message(signature: "y", body: [5])

    private static func say(over socket: Descriptor, _ bytes: [UInt8]) throws {
        var outgoing = OutgoingMessages()
        outgoing.append(try raw(bytes, descriptors: 0))
        try #require(outgoing.send(to: socket.rawValue) == bytes.count)
    }

    private nonisolated static let plain = WireBytes.message(signature: "", body: [])

    @Test func `I17: excess descriptors are closed, and the link stays open`() async throws {
        let tooMany = MessageDefect.invalid(.tooManyDescriptors(7))
        let first = Array(Self.withDescriptors[..<1])
        // The descriptors of one message arrive with different bytes of it.
        let rest = Array(Self.withDescriptors[2...])
        #expect(
            try await Self.defects([(first, 3), (Array(Self.withDescriptors[1..<2]), 4), (rest, 0)]) == [tooMany])
        // All descriptors arrive together.
        #expect(try await Self.defects([(Self.withDescriptors, 7)]) == [tooMany])
        // The end of a message arrives together with the beginning of the next one, which has just as many descriptors.
        let joined = Array(Self.withDescriptors[1...]) + Self.withDescriptors
        #expect(try await Self.defects([(first, 3), (joined, 3)]) == [nil, nil])
        // First, a message refers to more descriptors than arrive. Then descriptors arrive that no message refers to.
        let missing = MessageDefect.invalid(.malformed("a message refers to more file descriptors than it carries"))
        #expect(try await Self.defects([(Self.withDescriptors, 2)]) == [missing])
        #expect(try await Self.defects([(Self.plain, 1), (Self.withDescriptors, 3)]) == [nil, nil])
        #expect(try await Self.defects([(Self.plain, 4), (Self.withDescriptors, 3)]) == [nil, nil])
    }

    @Test func `an invalid header affects only its own message`() async throws {
        // This signature nests 34 arrays, but a bus forwards it, because no more than two are directly inside each
        // other.
        let deep = String(repeating: "aa(", count: 17) + "y" + String(repeating: ")", count: 17)
        let wrong = MessageDefect.invalid(.malformed("a header field has an invalid value"))
        var bytes = Self.plain
        // This byte is the message type, and no type has the number 0.
        bytes[1] = 0
        let lacks = MessageDefect.invalid(.malformed("a header lacks a field that its message type requires"))
        let found = try await Self.defects([
            (WireBytes.message(signature: "Z", body: [0, 0, 0, 0]), 0), (bytes, 0),
            (WireBytes.message(signature: deep, body: [0, 0, 0, 0, 0, 0, 0, 0]), 0), (Self.plain, 0),
        ])
        #expect(found.count == 4 && found[0] == wrong && found[1] == lacks && found[3] == nil, "\(found)")
    }

    @Test func `a message with an oversized header is skipped`() async throws {
        // The header has an unknown field with a string of 100,000 bytes, so the message exceeds the link's limit.
        let long = WireBytes.message(signature: "", body: []) {
            $0.field(200, "s") { $0.text(String(repeating: "a", count: 100_000)) }
        }
        #expect(try await Self.defects([(long, 1), (Self.withDescriptors, 3)]) == [nil])
    }

    /// If a header has an invalid byte order, version or length, the next message cannot be found, so the link is
    /// closed.
    @Test(arguments: [0, 3, 7, 15]) func `bytes without a frame close the link`(_ place: Int) async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        let messages = Self.messages(link)
        var bytes = Self.plain
        bytes[place] = 0xFF
        try Self.say([(bytes + Self.last, 0)], over: one)
        for await message in messages { Issue.record("\(message.kind as Any)") }
        #expect(!link.isOpen)
    }

    @Test func `the valid fields of an invalid header are read`() throws {
        let bytes = WireBytes.message(signature: "Z", body: []) {
            $0.field(5, "u") { $0.number(UInt32(77)) }
            $0.field(7, "s") { $0.text(":1.5") }
            $0.field(9, "u") { $0.number(UInt32(2)) }
        }
        let header = bytes.withUnsafeBytes { MessageHeader(faulty: $0) }
        #expect(header.sender == ":1.5" && header.replySerial == 77 && header.descriptorCount == 2)
        // Reading a header that is truncated or changed at any position never traps.
        for count in 16..<bytes.count {
            bytes[..<count].withUnsafeBytes { _ = MessageHeader(faulty: UnsafeRawBufferPointer(rebasing: $0[...])) }
        }
        for place in 16..<bytes.count {
            var other = bytes
            other[place] = 0xFF
            other.withUnsafeBytes { _ = MessageHeader(faulty: $0) }
        }
    }

    @Test func `a message that cannot be sent is replaced by another`() throws {
        let (one, other) = try Self.pair()
        var outgoing = OutgoingMessages()
        let file = try Self.file(1)
        let refused = try Self.signal(1, 10, file)
        refused.setSerial(9)
        outgoing.append(refused)
        outgoing.append(try Self.signal(2, 10, nil))
        #expect(outgoing.beginsDescriptors && outgoing.descriptorCount == 1)
        let replacement = try Self.signal(3, 20, nil)
        outgoing.replaceFirst { message in message === refused ? replacement : nil }
        #expect(!outgoing.beginsDescriptors && outgoing.descriptorCount == 0 && replacement.serial == 9)
        // If the first message is removed without a replacement, the next one is sent.
        outgoing.replaceFirst { _ in nil }
        let left = outgoing.byteCount
        #expect(outgoing.send(to: one.rawValue) == left && outgoing.byteCount == 0 && outgoing.wholeCount == 2)
        withExtendedLifetime(other) {}
    }

    @Test(arguments: [1_000, 100_000, 3_000_000])
    func theHeaderOfAnOversizedMessageIsRead(_ length: Int) async throws {
        let (one, other) = try Self.pair()
        let client = Link(one, Authentication(.client(server: nil), user: getuid()))
        let server = Self.server(other)
        server.limitMessages(bytes: 999, descriptors: 2)
        let messages = Self.messages(server)
        for number in UInt32(1)...3 {
            client.send(try Self.signal(number, number == 2 ? length : 10, try Self.file(number)))
        }
        var kept: [Int] = []
        for await message in messages {
            #expect(message.member == "M")
            if message.defect == nil {
                #expect(message.descriptors.count == 1)
                var reader = MessageReader(message)
                kept.append(Int(try UInt32(from: &reader)))
            } else {
                // The arguments and the descriptor of an oversized message are discarded, although its signature names
                // them.
                #expect(message.descriptors.isEmpty && message.signature == "uayh")
                guard case .tooLong(let bytes) = message.defect else {
                    Issue.record("\(message.defect as Any)")
                    break
                }
                #expect(bytes > length)
                #expect(throws: MessageError.self) { try message.checkArguments() }
            }
            if kept == [1, 3] { break }
        }
        #expect(kept == [1, 3] && server.isOpen)
    }

    /// The client closes before the server writes, so the write fails. The client's last message must be read all the
    /// same.
    @Test func inputIsReadEvenIfTheAnswerCannotBeSent() async throws {
        let (one, other) = try Self.pair()
        let client = Link(one, Authentication(.client(server: nil), user: getuid()))
        let server = Self.server(other)
        let messages = Self.messages(server)
        var received: [UInt32] = []
        client.send(try Self.signal(1, 10, nil))
        for await message in messages {
            received.append(message.serial)
            if received == [1] {
                client.send(try Self.signal(2, 10, nil))
                await client.flushed()
                client.close()
                server.send(try Self.signal(1, 10, nil))
                await server.flushed()
            }
        }
        #expect(received == [1, 2] && !server.isOpen)
    }

    @Test func `invalid arguments do not close the link`() async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        let messages = Self.messages(link)
        let right = WireBytes.message(signature: "b", body: [1, 0, 0, 0])
        let wrong = WireBytes.message(signature: "b", body: [2, 0, 0, 0])
        try Self.say([(right + wrong + right, 0)], over: one)
        var areRight: [Bool] = []
        for await message in messages {
            areRight.append((try? message.values()) == [.boolean(true)])
            if areRight.count == 3 { break }
        }
        #expect(areRight == [true, false, true] && link.isOpen)
    }

    @Test func theReceiverMayCloseTheLink() async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        var count = 0
        await withCheckedContinuation { continuation in
            link.ended = { Issue.record("it was closed here") }
            link.receive = { [unowned link] _ in
                count += 1
                link.close()
                continuation.resume()
            }
            let right = WireBytes.message(signature: "", body: [])
            do { try Self.say([(right + right, 0)], over: one) } catch { Issue.record(error) }
        }
        #expect(count == 1 && !link.isOpen)
    }

    // MARK: Opening

    /// Answers one client with these bytes, and hangs up if requested.
    private static func open(_ answer: [UInt8], hangsUp: Bool) async throws -> (Result<Link, any Error>, Descriptor?) {
        let path = try #require(SocketPath("unix:tmpdir=/tmp"))
        let listening = try path.socket(wait: .seconds(30)) { bind($0, $1, $2) == 0 && listen($0, 1) == 0 ? 0 : -1 }
            .get()
        defer { path.remove() }
        let peer = Task.detached {
            await Background.run { () -> Descriptor? in
                let peer = Descriptor(owning: accept(listening.rawValue, nil, nil))
                var asked = [UInt8](repeating: 0, count: 256)
                _ = read(peer.rawValue, &asked, asked.count)
                _ = write(peer.rawValue, answer, answer.count)
                return hangsUp ? nil : peer
            }
        }
        let result: Result<Link, any Error>
        do {
            result = .success(try await Link.open(ServerAddress(path.address.utf8)!, until: .now + .seconds(30)))
        } catch { result = .failure(error) }
        return (result, await peer.value)
    }

    @Test(arguments: ["REJECTED EXTERNAL\r\n", "REJECTED\r\n", "OK 1234\r\n", ""])
    func aRejectedClientGetsOneError(_ answer: String) async throws {
        let (result, _) = try await Self.open(Array(answer.utf8), hangsUp: true)
        #expect(throws: ConnectionError.self) { try result.get() }
        guard case .failure(let error as ConnectionError) = result, case .refused = error else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func bytesThatArriveWithTheAcceptanceAreNotLost() async throws {
        let message = WireBytes.message(signature: "y", body: [5])
        let answer = Array("OK 1234\r\nAGREE_UNIX_FD\r\n".utf8) + message + message
        let (result, peer) = try await Self.open(answer, hangsUp: false)
        let link = try result.get()
        var count = 0
        for await message in Self.messages(link) {
            #expect(try message.values() == [.byte(5)])
            count += 1
            if count == 2 { break }
        }
        #expect(count == 2 && link.isOpen && peer != nil)
    }
}
