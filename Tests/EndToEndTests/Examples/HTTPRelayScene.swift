import IPCInterface
import IPCTesting

import class IPCDBus.DBusActor
import class IPCDBus.Subscription

/// The relay, a server, and clients in networks of their own with nothing in them.
struct HTTPRelayScene: Sendable {
    let broker: BrokerProcess
    let server: RunningProcess
    let relay: RunningProcess
    /// The server's URL, without a slash at the end.
    let address: String

    static func start() async throws -> HTTPRelayScene {
        let broker = try await BrokerProcess.start()
        let server = try await RunningProcess.start(try Binaries.example("relay-test-server"), input: .none)
        guard let address = try await server.nextLine()?.split(separator: " ").last else {
            throw HarnessError("The server ended: \(server.errors.text)")
        }
        let relay = try await RunningProcess.start(try Binaries.example("http-relay"), input: .none)
        try await relay.errors.waitForLine(containing: "listening for relay: URLs")
        return HTTPRelayScene(broker: broker, server: server, relay: relay, address: String(address))
    }

    /// Runs the client without a network, where this machine allows that.
    static func client(_ arguments: [String]) async throws -> ProcessOutput {
        let command = (try await isolation() ?? []) + [try Binaries.example("relay-client")] + arguments
        return try await RunningProcess.run(command[0], Array(command.dropFirst()))
    }

    /// The words before a command that leave it without a network; `nil` where this machine has none that it allows.
    static func isolation() async throws -> [String]? {
        for words in [["unshare", "--user", "--map-current-user", "--net"], ["unshare", "--net"]]
        where try await RunningProcess.run(words[0], words.dropFirst() + ["true"]).status == .success {
            return words
        }
        return nil
    }

    /// Runs a server in Python, which tells its port, to its first line.
    static func python(_ script: String) async throws -> (process: RunningProcess, port: String) {
        let process = try await RunningProcess.start("python3", ["-u", "-c", script])
        guard let port = try await process.nextLine() else { throw HarnessError("It ended: \(process.errors.text)") }
        return (process, port)
    }

    /// A server that takes one connection, tells of it, and answers when it is told to.
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

    /// A server whose queue of connections is full, so that the system answers nobody who wants one more.
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

/// The moment at which a scheme has no handler any more.
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
