import Foundation
import Testing

/// A server that accepts one connection, reads one request, and then follows a script. At the end of the script, it closes
/// the connection.
struct ScriptedServer: Sendable {
    enum Step: Sendable {
        case send(String)
        /// Nothing is sent for a while.
        case pause(Duration)
        /// Nothing is sent until the client closes the connection.
        case wait
        /// The connection ends with an error at the client.
        case reset
    }

    enum Event: Sendable, Equatable {
        /// The request has arrived.
        case asked(String)
        /// The client has closed the connection.
        case left
    }

    let port: UInt16
    let events: AsyncStream<Event>

    private static let noSignal = Int32(MSG_NOSIGNAL)

    static func start(_ steps: [Step]) throws -> ScriptedServer {
        let listener = try Listener(backlog: 1)
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        // Reading blocks, so it needs its own thread.
        Thread.detachNewThread {
            let client = accept(listener.socket, nil, nil)
            continuation.yield(.asked(request(client)))
            for step in steps { perform(step, client, continuation) }
            close(client)
            continuation.finish()
        }
        return ScriptedServer(port: listener.port, events: events)
    }

    /// A URL at this server.
    func url(_ path: String = "/") throws -> URL { try #require(URL(string: "http://127.0.0.1:\(port)\(path)")) }

    /// The request, with its header and its body.
    var request: String? {
        get async {
            guard case .asked(let request) = await events.first(where: { _ in true }) else { return nil }
            return request
        }
    }

    private static func perform(_ step: Step, _ client: Int32, _ events: AsyncStream<Event>.Continuation) {
        switch step {
        case .send(let text):
            var rest = Array(text.utf8)[...]
            while case let count = rest.withUnsafeBytes({ send(client, $0.baseAddress, $0.count, noSignal) }), count > 0
            {
                rest = rest.dropFirst(count)
            }
        case .pause(let time): usleep(UInt32(time / .microseconds(1)))
        case .wait:
            while !received(client).isEmpty {}
            events.yield(.left)
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
    }

    /// Reads a header, and as many bytes of a body as it announces.
    private static func request(_ client: Int32) -> String {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            let part = received(client)
            guard !part.isEmpty else { return text }
            bytes += part
        }
    }

    private static func received(_ client: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
            count = max(0, recv(client, buffer.baseAddress, buffer.count, 0))
        }
    }
}

/// A socket that listens on a free port of this machine.
final class Listener: Sendable {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let port: UInt16

    init(backlog: Int32) throws {
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let socket = socket
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, backlog) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(socket) }

    /// Connects to this socket, without waiting.
    /// - Returns: whether the kernel has accepted the connection.
    func connects() -> Bool {
        let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = Self.address(port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }
}
