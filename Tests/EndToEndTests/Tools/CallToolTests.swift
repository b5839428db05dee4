import Glibc
import IPCTesting
import Testing

/// `call`, and senders that stop waiting.
@Suite(.privateBus)
struct CallToolTests {
    @Test func theOutputIsTheReplyByteForByte() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", #"cat; printf '\377\000|%s' "$IPC_BOARD""#])
        let called = try await Tools.client(["call", "IPCServer.demo:question", "some", "text"])
        #expect(called.status == .success, "\(called)")
        #expect(called.outputBytes == Array("some text".utf8) + [0xFF, 0] + Array("|".utf8))
        let json = try await Tools.client(["call", "--json", "IPCServer.demo:", "-"], input: .text("in"))
        #expect(try Tools.json(json.succeeded().output)["outcome"]?.text == "handled")
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func aCallWithoutAReplyIsAnErrorWithCodeAndMessage() async throws {
        let broker = try await BrokerProcess.start()
        #expect(try await Tools.client(["call", "IPCServer.demo:"]).status == .exited(68))
        let failing = try await Tools.server(["--exec", "exit 3"])
        let failed = try await Tools.client(["call", "IPCServer.demo:"])
        #expect(
            failed.status == .exited(70) && failed.output.isEmpty && failed.errors.contains("(exit-3)"), "\(failed)")
        let json = try await Tools.client(["call", "--json", "IPCServer.demo:"])
        #expect(json.status == .exited(70) && json.errors.isEmpty)
        #expect(try Tools.json(json.output)["error-code"]?.text == "exit-3")
        #expect(try await failing.terminate() == .success)
        let declining = try await Tools.server(["--decline"])
        #expect(try await Tools.client(["call", "IPCServer.demo:"]).status == .exited(1))
        #expect(try await declining.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func aCallToASlowHandlerTimesOut() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", "exec sleep 600"])
        let called = try await Tools.client(["call", "--timeout", "300ms", "IPCServer.demo:"])
        #expect(called.status == .exited(75) && called.errors.contains("300ms"), "\(called)")
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [["send", "x"], ["open", "IPCServer.demo:"], ["call", "IPCServer.demo:"]], [SIGINT, SIGTERM])
    func theFirstSignalCancelsTheRequest(_ command: [String], _ number: Int32) async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", "exec sleep 600"])
        let client = try await RunningProcess.start(try Binaries.path("ipc-client"), command, input: .none)
        _ = try await server.nextLine()
        client.signal(number)
        // The handler has stopped its command and reports this outcome, which determines the exit code.
        #expect(try await client.wait() == .exited(2))
        #expect(try await Tools.ids(["--state", "cancelled"]).count == 1)
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    /// If the handler has done the work despite the cancellation, it reports success, and the sender accepts this.
    @Test func aLateSignalChangesNothing() async throws {
        let broker = try await BrokerProcess.start()
        let directory = try TemporaryDirectory("signals")
        let pipe = directory.appending("ready")
        try #require(mkfifo(pipe, 0o600) == 0)
        let ready = try await RunningProcess.start("/bin/cat", [pipe], input: .none)
        let server = try await Tools.server(["--exec", "trap 'exit 0' TERM; echo > \(pipe); sleep 600 & wait"])
        let client = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["call", "IPCServer.demo:"], input: .none)
        _ = try await ready.nextLine()
        client.signal(SIGINT)
        #expect(try await client.wait() == .success)
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func theSecondSignalStopsTheCommand() async throws {
        let broker = try await BrokerProcess.start()
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let handler = try await DeafHandler("demo.IPCServer", "IPCServer.demo") { ask.yield() }
        let client = try await RunningProcess.start(try Binaries.path("ipc-client"), ["send", "x"], input: .none)
        await handler.waitForRequest()
        client.signal(SIGINT)
        for await _ in asked { break }
        client.signal(SIGINT)
        #expect(try await client.wait() == .signalled(SIGINT))
        withExtendedLifetime((broker, handler)) {}
    }
}
