import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// The example that the README shows, built by `make` from its own package.
@Suite(.privateBus)
struct ExampleTests {
    private func program(_ name: String) throws -> String {
        let root = Binaries.directory.split(separator: "/.build", maxSplits: 1)[0]
        return "\(root)/Examples/.build/debug/\(name)"
    }

    @Test func theDemosTalkToEachOther() async throws {
        let broker = try await BrokerProcess.start()
        let registration = try await Registration(of: "demo.IPCServer")
        // Into a pipe, print would keep its lines back.
        let server = try await RunningProcess.start("stdbuf", ["-oL", try program("demo-server")], input: .none)
        await registration.wait()
        let client = try await RunningProcess.run(try program("demo-client"), ["hello", "from the demo"])
        #expect(client.status == .success, "\(client)")
        #expect(client.output == "handled\n")
        let line = try #require(try await server.nextLine())
        #expect(line.contains("IPCServer.demo://IPCServer.demo?key=value") && line.contains("hello from the demo"))
        await server.end()
        withExtendedLifetime(broker) {}
    }
}

/// The moment at which an application has become a handler.
@DBusActor
private final class Registration {
    private let client: BrokerClient
    private let subscription: Subscription
    private let arrivals: AsyncStream<Void>

    init(of application: String) async throws {
        let client = try await BrokerClient()
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        subscription = try await client.connection.subscribe(to: Schemes1.handlerChanged, from: Broker1.busName) {
            change, _ in
            if change.2 == application { continuation.yield() }
        }
        (self.client, self.arrivals) = (client, arrivals)
    }

    func wait() async { for await _ in arrivals { return } }
}
