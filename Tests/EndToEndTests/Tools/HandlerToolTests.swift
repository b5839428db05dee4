import IPC
import IPCDBus
import IPCTesting
import Testing

/// Handlers that receive several messages at once, a limited number, or the same message again.
@Suite(.privateBus)
struct HandlerToolTests {
    /// A handler's command for two messages. The first message is finished only if the second one is handled meanwhile.
    private func meeting(_ window: Int) throws -> [String] {
        let pipe = try PrivateBus.current.directory.appending("pipe")
        return [
            "--window", String(window), "--exec",
            "mkfifo '\(pipe)' 2>/dev/null; case $(cat) in first) cat '\(pipe)';; *) echo met >'\(pipe)';; esac",
        ]
    }

    @Test func aWindowOfTwoRunsTwoCommandsAtATime() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(try meeting(2))
        async let first = Tools.client(["send", "first"])
        #expect(try await server.nextLine() == "first")
        #expect(try await Tools.client(["send", "second"]).status == .success)
        #expect(try await first.output == "met\n")
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    /// The control: with a window of one, the two commands that need each other do not run at the same time.
    @Test func aWindowOfOneRunsOneCommandAtATime() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(try meeting(1))
        async let first = Tools.client(["send", "first", "--timeout", "10s"])
        #expect(try await server.nextLine() == "first")
        let second = try await Tools.client(["send", "second", "--timeout", "300ms"])
        #expect(second.status == .exited(75), "\(second)")
        await server.end()
        #expect(try await first.status == .exited(70))
        withExtendedLifetime(broker) {}
    }

    @Test func requestsAfterTheLastOneGoToTheNextHandler() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        var ids: [String] = []
        for text in ["1", "2", "3", "4"] { ids.append(try await Tools.queue(text)) }
        let first = try await Tools.server(["--count", "1", "--window", "4"])
        #expect(try await first.wait() == .success)
        #expect(first.output.text == "1\n")
        let second = try await Tools.server(["--count", "3"])
        #expect(try await second.wait() == .success)
        #expect(second.output.text == "2\n3\n4\n")
        for id in ids { #expect(try await Tools.client(["request", "wait", id]).status == .success) }
        withExtendedLifetime(broker) {}
    }

    /// An empty text also prints a line, because every message does.
    @Test func anEmptyTextPrintsALine() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--count", "2"])
        for text in ["", "after"] { _ = try await Tools.client(["send", text]).succeeded() }
        #expect(try await server.wait() == .success)
        #expect(server.output.text == "\nafter\n")
        withExtendedLifetime(broker) {}
    }

    @Test func aRedeliveredMessageSaysSo() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("again")
        let before = try await Application.connect(
            id: "demo.IPCServer", schemes: ["IPCServer.demo"], bus: .address(try PrivateBus.current.address))
        var requests = before.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.attempt == 1)
        await before.close()
        let server = try await Tools.server(["--json", "--count", "1"])
        let line = try Tools.json(try #require(try await server.nextLine()))
        #expect(line["attempt"]?.number == 2 && line["id"]?.text == id)
        #expect(try await server.wait() == .success)
        withExtendedLifetime((broker, request)) {}
    }

    @Test func programsThatOpenEachOtherEndlesslyAreStopped() async throws {
        let broker = try await BrokerProcess.start()
        let client = try Binaries.path("ipc-client")
        let server = try await Tools.server([
            "--json", "--window", "16", "--exec", "\(client) open IPCServer.demo:again",
        ])
        let opened = try await Tools.client(["open", "IPCServer.demo:begin"])
        #expect(opened.status == .exited(70))
        #expect(try await server.terminate() == .success)
        let received = server.output.text.split(separator: "\n").map(String.init)
        // One request was sent by the test, and eight nested ones by the handler's command.
        #expect(received.count == 9)
        #expect(server.errors.text.contains("ipc-client:"))
        let ids = try received.map { try JSONText.string("id", in: $0) }
        for (id, parent) in zip(ids.dropFirst(), ids) {
            #expect(try await Tools.request(id)["parent"]?.text == parent)
        }
        withExtendedLifetime(broker) {}
    }

    @Test func aCommandGetsTheActivationTokenOfTheSender() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", #"printf %s "$XDG_ACTIVATION_TOKEN|$IPC_CHANGE_COUNT""#])
        let bus = try PrivateBus.current.environment
        let environment = bus.merging(["XDG_ACTIVATION_TOKEN": "token-of-the-sender"]) { $1 }
        let called = try await Tools.client(["call", "IPCServer.demo:"], environment: environment)
        #expect(called.output == "token-of-the-sender|", "\(called)")
        #expect(try await Tools.client(["call", "IPCServer.demo:"], environment: bus).output == "|")
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func conflictsAreReportedAtTheStart() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim(for: "org.example.First")
        let second = try await Tools.client([
            "scheme", "register", "IPCServer.demo", "--application", "org.example.Second", "--persistent",
        ]).succeeded()
        #expect(second.errors.contains("still goes to org.example.First"), "\(second)")
        let server = try await Tools.server()
        #expect(server.errors.text.contains("still goes to org.example.First"))
        #expect(server.errors.text.contains("org.example.Second claims IPCServer.demo too"))
        let resolved = try await Tools.client(["scheme", "resolve", "IPCServer.demo:"]).succeeded()
        #expect(resolved.lines.first == "org.example.First\toldest-persistent\tqueue-only", "\(resolved)")
        #expect(resolved.lines.count == 4 && resolved.lines[3].hasSuffix("only-live"))
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    /// A message that could not be shown is left to the next handler.
    @Test(arguments: ["> /dev/full", "| true"])
    func aMessageThatCannotBePrintedIsReturned(_ output: String) async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let server = try Binaries.path("ipc-server")
        // With `pipefail`, the exit status is the handler's, not that of the program that reads its output.
        let first = try await RunningProcess.start(
            "bash", ["-c", "set -o pipefail; \(server) \(output)"], input: .none)
        try await first.errors.waitForLine { $0.hasPrefix("listening") }
        let id = try await Tools.queue("seen")
        #expect(try await first.wait() == .exited(74))
        #expect(try await Tools.ids(["--state", "waiting"]) == [id])
        let second = try await Tools.server(["--count", "1"])
        #expect(try await second.nextLine() == "seen")
        #expect(try await second.wait() == .success)
        #expect(try await Tools.client(["request", "wait", id]).status == .success)
        let trace = try await Tools.client(["request", "trace", id]).succeeded().output
        #expect(trace.contains("\thanded-back\t") && !trace.contains("handler-left"), "\(trace)")
        withExtendedLifetime(broker) {}
    }

    @Test func withJSONAllMessagesAreJSON() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim(for: "org.example.First")
        let server = try await Tools.server(["--json"])
        let told = try server.errors.text.split(separator: "\n").map { try Tools.json(String($0)) }
        #expect(told.map { $0["warning"]?.text } == ["Conflict", "Listening"])
        #expect(told.last?["message"]?.text == "listening as demo.IPCServer for IPCServer.demo")
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func theErrorForAReservedSchemeNamesTheOptionIfThereIsOne() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await RunningProcess.run(
            try Binaries.path("ipc-server"), ["--scheme", "own.demo", "--scheme", "http"], input: .none)
        #expect(server.status == .exited(77))
        #expect(server.errors.contains("“http” is reserved for the system; add --allow-reserved"), "\(server)")
        let allowed = try await Tools.server(["--scheme", "http", "--allow-reserved"])
        #expect(try await allowed.terminate() == .success)
        let called = try await Tools.client(["call", "--callback-scheme", "http", "x.demo://x-callback-url/do"])
        #expect(called.status == .exited(77) && !called.errors.contains("--allow-reserved"), "\(called)")
        let stored = try await Tools.client(["scheme", "register", "http", "--application", "demo.X", "--persistent"])
        #expect(stored.errors.contains("--allow-reserved"), "\(stored)")
        withExtendedLifetime(broker) {}
    }
}
