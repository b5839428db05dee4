import Glibc
import IPCTesting
import Testing

@testable import IPCDBus

/// Long byte arrays are sent from where they are. On the wire, this makes no difference.
@DBusActor
@Suite(.timeLimit(.minutes(2)))
struct AttachmentTests {
    @Test func `a message with attachments has the bytes of one without`() async throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededGenerator(seed: seed)
        var attached = 0
        for round in 0..<25 {
            let values = Self.values(&random)
            let signature = values.map(\.signature.text).joined()
            func write(_ writer: inout MessageWriter) throws(MessageError) {
                for value in values { try value.writeContent(to: &writer) }
            }
            let answer = try Message.methodReturn(
                for: try Message.received(WireBytes.message(signature: "", body: [])), signature: signature, write)
            let signal = try Message.signal(
                path: "/", interface: "a.b", member: "M", to: nil, signature: signature, write)
            attached += answer.attachments.count
            try #require(signal.attachments.isEmpty)
            answer.setSerial(1)
            let sent = try Self.sent(answer, &random)
            try #require(sent.count == answer.byteCount, "seed \(seed), round \(round)")
            let isSame = Array(sent[answer.bodyStart...]) == Array(signal.bytes[signal.bodyStart...])
            #expect(isSame, "seed \(seed), round \(round)")
            let isRead = try Message.received(sent).values() == values
            #expect(isRead, "seed \(seed), round \(round)")
            // Other tests use the same thread.
            await Task.yield()
        }
        #expect(attached > 25, "seed \(seed)")
    }

    @Test func `descriptors arrive with a message that has attachments`() async throws {
        let (one, other) = try LinkTests.pair()
        let long = [UInt8](repeating: 7, count: 1 << 20)
        let file = try LinkTests.file(9)
        let server = LinkTests.server(other)
        let messages = LinkTests.messages(server)
        let client = Link(one, Authentication(.client(server: nil), user: getuid()))
        for number in UInt8(0)..<4 {
            client.send(
                try Message.methodCall(
                    to: nil, path: "/", interface: "a.b", member: "M", signature: "yhayh"
                ) { (writer) throws(MessageError) in
                    try number.write(to: &writer)
                    try file.write(to: &writer)
                    try long.write(to: &writer)
                    try file.write(to: &writer)
                })
        }
        var next: UInt8 = 0
        for await message in messages {
            var reader = MessageReader(message)
            #expect(try UInt8(from: &reader) == next)
            _ = try Descriptor(from: &reader)
            let isSame = try [UInt8](from: &reader) == long
            #expect(isSame)
            _ = try Descriptor(from: &reader)
            next += 1
            if next == 4 { break }
        }
        client.close()
        server.close()
    }

    /// Some values, among them byte arrays just below and above the length from which they are attached.
    private static func values(_ random: inout SeededGenerator) -> [Value] {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let length = [0, 1, 65_535, 65_536, 65_537, 200_000].randomElement(using: &random)!
            let bytes = Value.bytes([UInt8](repeating: .random(in: 0...255, using: &random), count: length))
            let number = Value.uint64(.random(in: 0...9, using: &random))
            return switch Int.random(in: 0..<5, using: &random) {
            case 0: number
            case 1: .structure([.byte(1), bytes, number])
            case 2: .variant(.structure([bytes, .string("x"), bytes]))
            case 3: .array(of: "(ayt)", [.structure([bytes, number]), .structure([bytes, number])])
            default: bytes
            }
        }
    }

    /// The bytes of a message that is sent over a socket, whose other end reads pieces of any size.
    private static func sent(_ message: Message, _ random: inout SeededGenerator) throws -> [UInt8] {
        let (one, other) = try LinkTests.pair()
        var outgoing = OutgoingMessages()
        outgoing.append(message)
        var bytes: [UInt8] = []
        while outgoing.byteCount > 0 {
            let sent = outgoing.send(to: one.rawValue)
            try #require(sent > 0 || errno == EAGAIN)
            bytes += read(other, atMost: Int.random(in: 1...300_000, using: &random))
        }
        while case let rest = read(other, atMost: 1 << 20), !rest.isEmpty { bytes += rest }
        return bytes
    }

    private static func read(_ socket: Descriptor, atMost count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { $1 = max(0, Glibc.read(socket.rawValue, $0.baseAddress, count)) }
    }
}
