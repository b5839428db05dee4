import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// The two programs in the README, built by `make` from the package of the examples.
@Suite(.privateBus)
struct ServerClientDemoTests {
    @Test func `a text arrives, and its receipt comes back`() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await RunningProcess.start(try Binaries.example("demo-server"), input: .none)
        try await server.waitForLine { $0.contains("waiting") }
        let client = try await RunningProcess.run(try Binaries.example("demo-client"), ["hello", "from the demo"])
        #expect(client.status == .success, "\(client)")
        #expect(client.output == "handled: message 1, 19 characters\n")
        let line = try #require(try await server.nextLine())
        #expect(line.contains("IPCServer.demo://IPCServer.demo?key=value") && line.contains("hello from the demo"))
        await server.end()
        withExtendedLifetime(broker) {}
    }

    @Test func `the exit code says what is missing, as the tools do`() async throws {
        let broker = try await BrokerProcess.start()
        let nobody = try await RunningProcess.run(try Binaries.example("demo-client"), ["hello"])
        #expect(nobody.status == .exited(68) && nobody.errors.hasPrefix("demo-client: "), "\(nobody)")
        let server = try await RunningProcess.start(try Binaries.example("demo-server"), input: .none)
        try await server.waitForLine { $0.contains("waiting") }
        let second = try await RunningProcess.run(try Binaries.example("demo-server"))
        #expect(second.status == .exited(73) && second.errors.contains("demo.IPCServer is in use"), "\(second)")
        await server.end()
        withExtendedLifetime(broker) {}
    }

    @Test func `without a broker, the client says what is missing`() async throws {
        let alone = try await RunningProcess.run(try Binaries.example("demo-client"), ["hello"])
        #expect(alone.status == .exited(69) && alone.errors.hasPrefix("demo-client: "), "\(alone)")
    }
}
