import Glibc
import IPCTesting
import Testing

/// The two programs in the README of ServerClientDemo, built by `make` from the package of the examples.
@Suite(.privateBus)
struct ServerClientDemoTests {
    private static let url = "IPCServer.demo://IPCServer.demo?key=value"
    private static let answer = "(IPCClient.demo://IPCServer.demo?key=value from demo.IPCServer (owned))"

    /// Starts a program that writes line by line, which a Swift program does not do to a pipe.
    private func start(
        _ program: String, _ arguments: [String] = [], input: ProcessInput = .none
    ) async throws -> RunningProcess {
        try await RunningProcess.start("stdbuf", ["-oL", try Binaries.example(program)] + arguments, input: input)
    }

    private func startServer(_ arguments: [String] = []) async throws -> RunningProcess {
        let server = try await start("demo-server", arguments)
        #expect(try await server.nextLine() == "waiting for IPCServer.demo: URLs")
        return server
    }

    private func client(_ words: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(try Binaries.example("demo-client"), words)
    }

    @Test func `the README shows both programs as they are`() throws {
        let readme = try FileContents.text(ExamplePlace.folder("ServerClientDemo/README.md"))
        let blocks = readme.split(separator: "```swift\n").dropFirst().map { $0.split(separator: "```")[0] }
        #expect(
            try blocks.map(String.init)
                == ["Client", "Server"].map {
                    try FileContents.text(ExamplePlace.folder("ServerClientDemo/\($0)/main.swift"))
                })
    }

    @Test func `a text is shown, the answer comes back through the client's scheme, and the call reports the outcome`()
        async throws
    {
        let broker = try await BrokerProcess.start()
        let server = try await startServer()
        let sent = try await client(["hello", "from the demo"])
        #expect(sent.status == .success && sent.lines == ["answer: shown, 19 characters \(Self.answer)", "handled"])
        #expect(try await server.nextLine() == "hello from the demo (\(Self.url) from demo.IPCClient (owned))")
        withExtendedLifetime(broker) {}
    }

    @Test func `the prompt sends each line`() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await startServer()
        let client = try await RunningProcess.run(
            try Binaries.example("demo-client"), input: .text("日本語\n👨‍👩‍👧が\n"))
        #expect(client.status == .success)
        #expect(
            client.lines == [
                "text: answer: shown, 3 characters \(Self.answer)", "handled",
                "text: answer: shown, 2 characters \(Self.answer)", "handled", "text: ",
            ])
        for text in ["日本語", "👨‍👩‍👧が"] { #expect(try await server.nextLine()?.hasPrefix("\(text) (") == true) }
        withExtendedLifetime(broker) {}
    }

    @Test func `without a server, the client says what to do, and the prompt stays`() async throws {
        let broker = try await BrokerProcess.start()
        let message = "no program handles IPCServer.demo: URLs; start demo-server first"
        let alone = try await client(["hello"])
        #expect(alone.status == .exited(1) && alone.lines == [message])
        let prompt = try await start("demo-client", input: .open)
        prompt.write("x\n")
        #expect(try await prompt.nextLine() == "text: \(message)")
        let server = try await startServer()
        prompt.write("y\n")
        try await prompt.waitForLine { $0 == "handled" }
        #expect(try await server.nextLine()?.hasPrefix("y (") == true)
        withExtendedLifetime(broker) {}
    }

    @Test func `a second server or client, and a missing broker, end with a message`() async throws {
        let nobody = try await client(["hello"])
        #expect(nobody.status == .exited(1) && nobody.output.contains("broker"), "\(nobody)")
        let broker = try await BrokerProcess.start()
        let server = try await startServer()
        let second = try await RunningProcess.run(try Binaries.example("demo-server"))
        #expect(second.status == .exited(1) && second.output.contains("demo.IPCServer is in use"), "\(second)")
        let prompt = try await start("demo-client", input: .open)
        prompt.write("x\n")
        try await prompt.waitForLine { $0 == "handled" }
        let another = try await client(["hello"])
        #expect(another.status == .exited(1) && another.output.contains("demo.IPCClient is in use"), "\(another)")
        withExtendedLifetime((broker, server)) {}
    }

    @Test func `only the client itself gets an answer, and a client that has exited does not stop the server`()
        async throws
    {
        let broker = try await BrokerProcess.start()
        let server = try await startServer()
        let prompt = try await start("demo-client", input: .open)
        prompt.write("x\n")
        try await prompt.waitForLine { $0 == "handled" }
        // This program only claims to be the client.
        _ = try await Tools.client(["send", "claimed"]).succeeded()
        for text in ["x", "claimed"] { #expect(try await server.nextLine()?.hasPrefix("\(text) (") == true) }
        // The server shows a text before it answers, so the client may be gone when the answer is sent.
        prompt.write("y\n")
        #expect(try await server.nextLine()?.hasPrefix("y (") == true)
        try await prompt.kill9()
        #expect(!prompt.output.text.contains("shown, 7 characters"), "the length of “claimed”")
        _ = try await Tools.client(["send", "z"]).succeeded()
        #expect(try await server.nextLine()?.hasPrefix("z (") == true)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [[], ["--named"]])
    func `a second quick send replaces the text on the pasteboard, but not in the request`(_ arguments: [String])
        async throws
    {
        let broker = try await BrokerProcess.start()
        let server = try await startServer(arguments)
        // Both requests are accepted while the server does not run.
        server.signal(SIGSTOP)
        var ids: [String] = []
        for text in ["first", "second"] {
            ids.append(try #require(try await Tools.client(["send", "--queue", text]).succeeded().lines.first))
        }
        server.signal(SIGCONT)
        for id in ids { _ = try await Tools.client(["request", "wait", id]).succeeded() }
        let shown = [try await server.nextLine(), try await server.nextLine()]
        let expected = arguments.isEmpty ? ["first", "second"] : ["second", "second"]
        #expect(shown == expected.map { "\($0) (\(Self.url) from demo.IPCClient (claimed))" })
        withExtendedLifetime(broker) {}
    }

    @Test func `a server that reads by name fails without the pasteboard, and shows an old text again`() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await startServer(["--named"])
        let missing = try await Tools.client(["open", Self.url])
        #expect(missing.status == .exited(70) && missing.errors.contains("demo.IPCClient"), "\(missing)")
        for words in [["send", "old"], ["open", Self.url]] { _ = try await Tools.client(words).succeeded() }
        for _ in 0..<2 { #expect(try await server.nextLine()?.hasPrefix("old (") == true) }
        withExtendedLifetime(broker) {}
    }
}
