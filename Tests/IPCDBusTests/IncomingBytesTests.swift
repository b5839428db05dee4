import Glibc
import Testing

@testable import IPCDBus

/// Messages that arrive in pieces.
struct IncomingBytesTests {
    /// The two ends of a socket.
    private let ends: (here: Descriptor, there: Descriptor)

    init() throws {
        var pair: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        ends = (Descriptor(owning: pair[0]), Descriptor(owning: pair[1]))
    }

    private static func texts(_ lengths: [Int]) -> [String] {
        lengths.enumerated().map { String(repeating: Character(Unicode.Scalar(UInt8(97 + $0 % 26))), count: $1) }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        var body = WireBytes()
        body.text(text)
        return WireBytes.message(signature: "s", body: body.bytes)
    }

    /// The lengths include those just below and above the limit for large messages. If the pieces are long, several
    /// messages arrive in one piece.
    @Test(arguments: [1, 3, 1_000, 65_536, .max])
    func messagesAreAssembledFromAnyFragments(_ piece: Int) throws {
        let header = Self.bytes("").count
        let lengths =
            [0, 1, 5, 300] + (piece == 1 ? [70_000] : (65_530...65_545).map { $0 - header } + [7, 200_000, 9])
        let texts = Self.texts(lengths)
        let stream = Array(texts.map(Self.bytes).joined())
        var incoming = IncomingBytes()
        var read: [String] = []
        var sent = 0
        while sent < stream.count {
            let end = min(stream.count, piece == .max ? stream.count : sent + piece)
            let count = stream[sent..<end].withUnsafeBytes {
                Glibc.send(ends.there.rawValue, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT))
            }
            try #require(count > 0)
            sent += count
            while case .bytes = incoming.receive(from: ends.here.rawValue) {
                while let message = try incoming.nextMessage() { read.append(try Self.text(message)) }
            }
        }
        let areSame = read == texts
        #expect(areSame, "\(read.count) of \(texts.count)")
        #expect(incoming.bytes.isEmpty)
    }

    private static func text(_ message: Message) throws -> String {
        guard case .string(let text) = try message.values()[0] else { return "" }
        return text
    }

    @Test func theEndOfTheStreamIsReported() throws {
        var incoming = IncomingBytes()
        guard case .nothing = incoming.receive(from: ends.here.rawValue) else {
            Issue.record("there is something")
            return
        }
        try #require(shutdown(ends.there.rawValue, CInt(SHUT_WR)) == 0)
        guard case .end = incoming.receive(from: ends.here.rawValue) else {
            Issue.record("there is no end")
            return
        }
    }

    @Test func invalidInputIsRejectedOnceItsHeaderHasArrived() throws {
        var incoming = IncomingBytes()
        let bytes = [UInt8](repeating: 120, count: 16)
        try #require(write(ends.there.rawValue, bytes, 15) == 15)
        _ = incoming.receive(from: ends.here.rawValue)
        #expect(try incoming.nextMessage() == nil)
        try #require(write(ends.there.rawValue, bytes, 1) == 1)
        _ = incoming.receive(from: ends.here.rawValue)
        do {
            _ = try incoming.nextMessage()
            Issue.record("it was taken")
        } catch {
            #expect(error == .malformed("this is not a message: its byte order is unknown"))
        }
    }

    /// The number of pages that this thread has touched for the first time.
    private static func touchedPages() -> Int {
        var usage = rusage()
        // RUSAGE_THREAD is not imported.
        getrusage(1, &usage)
        return usage.ru_minflt
    }

    @Test func `a header that claims 32 MiB uses memory only for what has arrived`() throws {
        let claimed = Self.bytes(String(repeating: "x", count: 32 << 20))
        let arrived = 100_000
        let before: Int
        do {
            var incoming = IncomingBytes()
            var sent = 0
            while sent < arrived {
                let end = sent + 50_000
                try #require(
                    claimed[sent..<end].withUnsafeBytes { write(ends.there.rawValue, $0.baseAddress, $0.count) }
                        == 50_000)
                sent = end
                while case .bytes = incoming.receive(from: ends.here.rawValue) {
                    #expect(try incoming.nextMessage() == nil)
                }
            }
            #expect(incoming.heldCount == arrived)
            before = Self.touchedPages()
        }
        // Clearing the whole buffer would touch 8,192 pages.
        #expect(Self.touchedPages() - before < 256)
    }
}
