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

    @Test func `texts are typed into a field, and the server shows each on one line`() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await TerminalSession.start(try Binaries.example("demo-server"), columns: 40, rows: 5)
        try await server.wait(forText: "waiting")
        let client = try await TerminalSession.start(try Binaries.example("demo-client"), rows: 6)
        try await client.wait(for: "a field") { $0.currentRow == "text:" }
        try await client.type("日本語👨‍👩‍👧が")
        try await client.wait(for: "what was typed") {
            $0.currentRow == "text: 日本語👨‍👩‍👧が" && $0.cursorColumn == 16
        }
        try await client.press("BSpace", "BSpace")
        try await client.wait(for: "two characters less") { $0.currentRow == "text: 日本語" && $0.cursorColumn == 12 }
        try await client.press("Enter")
        let answered = try await client.wait(forText: "message 1, 3 characters")
        #expect(answered.rows[0] == "日本語 → handled: message 1, 3 characters")
        let shown = try await server.wait(forText: "日本語")
        #expect(shown.rows.filter { !$0.isEmpty }.count == 1, "one line")
        try await client.press("Escape")
        #expect(try await client.end() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func `without a receiver, the field says so and stays`() async throws {
        let broker = try await BrokerProcess.start()
        let client = try await TerminalSession.start(try Binaries.example("demo-client"), columns: 150, rows: 6)
        try await client.wait(for: "a field") { $0.currentRow == "text:" }
        try await client.type("x")
        try await client.press("Enter")
        let told = try await client.wait(for: "the reason") { $0.rows[0].hasPrefix("x → ") && $0.currentRow == "text:" }
        #expect(told.rows[0].contains("IPCServer.demo"))
        #expect(!told.text.contains("handled:"))
        client.signal(15)
        #expect(try await client.end() == .signalled(15))
        withExtendedLifetime(broker) {}
    }

    @Test func `without a broker, or a terminal, the programs say what is missing`() async throws {
        let alone = try await RunningProcess.run(try Binaries.example("demo-client"), ["hello"])
        #expect(alone.status == .exited(69) && alone.errors.hasPrefix("demo-client: "), "\(alone)")
        let broker = try await BrokerProcess.start()
        let piped = try await RunningProcess.run(try Binaries.example("demo-client"))
        #expect(piped.status == .exited(69) && piped.errors.contains("standard input is not a terminal"), "\(piped)")
        withExtendedLifetime(broker) {}
    }
}
