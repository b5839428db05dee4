internal import Glibc
internal import IPCDBus

/// Sends messages through a socket in random pieces, and compares the received messages with the same messages read one
/// by one.
enum ArrivalInPieces {
    /// - Parameter frames: messages whose ends can be found; the rest of their content may be invalid.
    static func difference(_ frames: [[UInt8]], cutting: Int, _ random: inout Randomness) -> String? {
        var pair: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0 else { return nil }
        defer { for socket in pair { close(socket) } }
        var expected = frames.map { try? Reading.message($0, []) }[...]
        var incoming = IncomingBytes()
        let stream = Array(frames.joined().dropLast(cutting))
        if cutting > 0 { expected = expected.dropLast() }
        var sent = 0
        while sent < stream.count {
            let end = min(stream.count, sent + 1 + random.below(random.pick([1, 16, 16, 200, 5_000])))
            let count = stream[sent..<end].withUnsafeBytes { write(pair[1], $0.baseAddress, $0.count) }
            guard count > 0 else { return "the socket takes nothing" }
            sent += count
            while case .bytes = incoming.receive(from: pair[0]) {
                if let difference = difference(&incoming, &expected) { return difference }
                if expected.isEmpty { return nil }
            }
        }
        return expected.isEmpty ? nil : "a message has not arrived"
    }

    /// Compares the messages received so far with the first elements of `expected`, and removes these elements.
    private static func difference(_ incoming: inout IncomingBytes, _ expected: inout ArraySlice<Message?>) -> String? {
        while true {
            do throws(MessageError) {
                guard let message = try incoming.nextMessage() else { return nil }
                guard let next = expected.popFirst() else { return "a message arrives too soon" }
                if next == nil, message.isDefective { continue }
                guard let alone = next else { return "a message is accepted in pieces but rejected as a whole" }
                guard message.bytes.elementsEqual(alone.bytes), message.bodyStart == alone.bodyStart else {
                    return "a message arrives with other bytes"
                }
                guard message.member == alone.member, message.signature == alone.signature,
                    message.serial == alone.serial,
                    message.path == alone.path, message.interface == alone.interface, message.sender == alone.sender
                else { return "a message arrives with another header" }
            } catch {
                guard let next = expected.popFirst() else { return "an error arrives too soon" }
                guard next == nil else { return "a message is rejected in pieces but accepted as a whole: \(error)" }
            }
        }
    }
}
