import IPCInterface
import IPCTesting

import class IPCDBus.DBusActor
import class IPCDBus.Subscription

/// The relay, a server, and clients in their own empty networks.
struct HTTPRelayScene: Sendable {
    let broker: BrokerProcess
    let server: RunningProcess
    let relay: RunningProcess
    /// The server's URL, without a trailing slash.
    let address: String

    static func start(relay options: [String] = []) async throws -> HTTPRelayScene {
        let broker = try await BrokerProcess.start()
        let server = try await RunningProcess.start(try Binaries.example("relay-test-server"), input: .none)
        guard let address = try await server.nextLine()?.split(separator: " ").last else {
            throw HarnessError("The server ended: \(server.errors.text)")
        }
        let relay = try await RunningProcess.start(try Binaries.example("http-relay"), options, input: .none)
        try await relay.errors.waitForLine(containing: "listening for relay: URLs")
        return HTTPRelayScene(broker: broker, server: server, relay: relay, address: String(address))
    }

    /// Runs the client without a network, if this machine allows that.
    static func client(_ arguments: [String]) async throws -> ProcessOutput {
        let command = (try await isolation() ?? []) + [try Binaries.example("relay-client")] + arguments
        return try await RunningProcess.run(command[0], Array(command.dropFirst()))
    }

    /// The words to put in front of a command to run it without a network; `nil` if this machine does not allow that.
    static func isolation() async throws -> [String]? {
        for words in [["unshare", "--user", "--map-current-user", "--net"], ["unshare", "--net"]]
        where try await RunningProcess.run(words[0], words.dropFirst() + ["true"]).status == .success {
            return words
        }
        return nil
    }

    /// Starts a Python server, and reads its port from its first line.
    static func python(_ script: String) async throws -> (process: RunningProcess, port: String) {
        let process = try await RunningProcess.start("python3", ["-u", "-c", script])
        guard let port = try await process.nextLine() else { throw HarnessError("It ended: \(process.errors.text)") }
        return (process, port)
    }

    /// A server that accepts one connection, reports it, and answers on request.
    static let slowServer = #"""
        import socket
        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1])
        connection, _ = listening.accept()
        connection.recv(65536)
        print("asked")
        input()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nx=y&END\r\n")
        connection.close()
        """#

    /// A server that answers one request with fields that try to control the terminal.
    static let forgingServer = #"""
        import socket
        listening = socket.create_server(("127.0.0.1", 0))
        print(listening.getsockname()[1])
        connection, _ = listening.accept()
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
            b"a=%1B%5B2Jx%0Astate: ready&b%0D=%E2%80%AEexe&%E7%8A%AC=%E7%8C%AB&END\r\n")
        connection.close()
        """#

    /// A server with a full connection queue, so that the system does not answer further connections.
    static let fullServer = #"""
        import socket
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(listening.getsockname())
        print(listening.getsockname()[1])
        input()
        """#
}

/// Waits until a scheme has no handler left.
@DBusActor
final class SchemeGivenUp {
    private let client: BrokerClient
    private let subscription: Subscription
    private let arrivals: AsyncStream<Void>

    init(_ scheme: String) async throws {
        let client = try await BrokerClient()
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        subscription = try await client.connection.subscribe(to: Schemes1.handlerChanged, from: Broker1.busName) {
            change, _ in
            if change.0 == scheme, change.2.isEmpty { continuation.yield() }
        }
        (self.client, self.arrivals) = (client, arrivals)
    }

    func wait() async { for await _ in arrivals { return } }
}
