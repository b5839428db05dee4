import Glibc
import Testing

@testable import IPCDBus

/// What two ends of a socket say to each other.
@DBusActor
@Suite(.timeLimit(.minutes(1)))
struct LinkTests {
    private static func pair() throws -> (Descriptor, Descriptor) {
        var pair: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        return (Descriptor(owning: pair[0]), Descriptor(owning: pair[1]))
    }

    private static func server(_ socket: Descriptor) -> Link {
        Link(
            socket, Authentication(.server(peer: getuid(), own: getuid(), id: "1234"), user: getuid()),
            checksArguments: true)
    }

    /// The messages of a link; the stream ends with it.
    private static func messages(_ link: Link) -> AsyncStream<Message> {
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

    private static func file(_ number: UInt32) throws -> Descriptor {
        try withUnsafeBytes(of: number) { try Descriptor.sealed(containing: $0) }
    }

    @Test func messagesAndTheirDescriptorsComeInOrderWhenTheSocketTakesLittle() async throws {
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

    /// Nothing else runs on the thread between what the other side says and the end of its link.
    @Test(arguments: [true, false])
    func whatCameBeforeTheEndIsTakenInOnlyWhereItIsAskedFor(_ isAskedFor: Bool) async throws {
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
        // The third has not left whole.
        #expect(received == (isAskedFor ? [1, 2] : [1]))
    }

    /// A receiver that assigns descriptors to the last byte it reads with them, as dbus-broker does, finds them in their message.
    @Test func `a message with descriptors leaves alone`() throws {
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

    /// Says what a client says, then the parts, each with so many descriptors.
    private static func say(_ parts: [(bytes: [UInt8], descriptors: Int)], over socket: Descriptor) throws {
        let hello = Array("\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".utf8)
        for part in [(bytes: hello, descriptors: 0)] + parts {
            var outgoing = OutgoingMessages()
            outgoing.append(try raw(part.bytes, descriptors: part.descriptors))
            try #require(outgoing.send(to: socket.rawValue) == part.bytes.count)
        }
    }

    /// Any bytes, in the place of a message that is sent.
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

    @Test func aMessageHasItsDescriptorsHoweverItIsCut() async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        link.limitMessages(descriptors: 3)
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

    @Test(arguments: [
        // More than the link takes, in one message or without any message that names them; or a few that the next message
        // would get.
        [(Array(withDescriptors[..<1]), 3), (Array(withDescriptors[1..<2]), 1)],
        [(withDescriptors, 2)],
        [(WireBytes.message(signature: "", body: []), 4)],
        [(WireBytes.message(signature: "", body: []), 1)],
    ])
    func descriptorsThatNoMessageNamesEndTheLink(_ parts: [([UInt8], Int)]) async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        link.limitMessages(descriptors: 3)
        let messages = Self.messages(link)
        try Self.say(parts.map { (bytes: $0.0, descriptors: $0.1) }, over: one)
        for await message in messages { #expect(message.signature == "") }
        #expect(!link.isOpen)
    }

    @Test(arguments: [1_000, 100_000, 3_000_000])
    func ofAMessageThatIsTooLongTheHeaderIsTaken(_ length: Int) async throws {
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
            if message.fullLength == nil {
                #expect(message.descriptors.count == 1)
                var reader = MessageReader(message)
                kept.append(Int(try UInt32(from: &reader)))
            } else {
                // Its arguments are gone, whatever its signature says, and its descriptor.
                #expect(message.descriptors.isEmpty && message.signature == "uayh")
                #expect((message.fullLength ?? 0) > length)
                #expect(throws: MessageError.self) { try message.checkArguments() }
            }
            if kept == [1, 3] { break }
        }
        #expect(kept == [1, 3] && server.isOpen)
    }

    /// A read comes between, so that what is written finds nobody.
    @Test func whatWasSaidBeforeTheEndCountsWhereAnAnswerFindsNobody() async throws {
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

    @Test func argumentsThatBreakTheProtocolEndTheLink() async throws {
        let (one, other) = try Self.pair()
        let link = Self.server(other)
        let messages = Self.messages(link)
        let right = WireBytes.message(signature: "b", body: [1, 0, 0, 0])
        let wrong = WireBytes.message(signature: "b", body: [2, 0, 0, 0])
        try Self.say([(right + wrong + right, 0)], over: one)
        var count = 0
        for await _ in messages { count += 1 }
        #expect(count == 1 && !link.isOpen)
    }

    @Test func aReceiverMayCloseTheLink() async throws {
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

    /// Answers one client with these bytes and hangs up where it is told to.
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
            result = .success(try await Link.open(ServerAddress(path.address.utf8), until: .now + .seconds(30)))
        } catch { result = .failure(error) }
        return (result, await peer.value)
    }

    @Test(arguments: ["REJECTED EXTERNAL\r\n", "REJECTED\r\n", "OK 1234\r\n", ""])
    func whoIsNotLetInLearnsItOnce(_ answer: String) async throws {
        let (result, _) = try await Self.open(Array(answer.utf8), hangsUp: true)
        #expect(throws: ConnectionError.self) { try result.get() }
        guard case .failure(let error as ConnectionError) = result, case .refused = error else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func whatComesWithTheConsentIsNotLost() async throws {
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
