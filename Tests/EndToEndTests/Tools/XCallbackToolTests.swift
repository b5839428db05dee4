import IPCTesting
import Testing

/// x-callback-url between `ipc-client` and `ipc-server`, in both directions.
@Suite(.privateBus)
struct XCallbackToolTests {
    private static let url = "IPCServer.demo://x-callback-url/greet?name=you"

    /// A handler that knows only x-callback-url: it extracts the callback from the URL and opens it.
    private func callingBack(_ callback: String, _ parameters: String) throws -> [String] {
        let decode = #"sed 's/.*[?&]\#(callback)=\([^&]*\).*/\1/; s/%3A/:/g; s/%2F/\//g'"#
        let client = try Binaries.path("ipc-client")
        return ["--no-callbacks", "--exec", #"\#(client) open "$(printf %s "$IPC_URL" | \#(decode))\#(parameters)""#]
    }

    @Test func aDirectReplyIsPrinted() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--json", "--reply", "good morning"])
        let called = try await Tools.client(["call", Self.url])
        #expect(called.status == .success && called.output == "good morning", "\(called)")
        let received = try JSONText.string("url", in: try #require(try await server.nextLine()))
        #expect(
            received.hasPrefix(Self.url + "&x-source=demo.IPCClient&x-success=IPCClient.demo%3A%2F%2Fx-callback-url"))
        #expect(received.contains("&x-error=") && received.contains("&x-cancel="))
        // The scheme was registered only for the duration of the call.
        #expect(try await Tools.client(["scheme", "can-open", "IPCClient.demo:"]).status == .exited(68))
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func aCallbackIsPrintedAsTheReply() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(try callingBack("x-success", "?result=by%20callback&more=1"))
        let called = try await Tools.client(["call", Self.url])
        #expect(called.status == .success && called.output == "by callback", "\(called)")
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func anErrorCallbackIsTheFailure() async throws {
        let broker = try await BrokerProcess.start()
        let failing = try await Tools.server(try callingBack("x-error", "?errorCode=7&errorMessage=out%20of%20tea"))
        let failed = try await Tools.client(["call", Self.url])
        #expect(failed.status == .exited(70) && failed.errors.contains("out of tea (7)"), "\(failed)")
        let json = try await Tools.client(["call", "--json", Self.url])
        #expect(json.status == .exited(70))
        #expect(try Tools.json(json.output)["callback"]?.truth == true)
        #expect(try await failing.terminate() == .success)
        let cancelling = try await Tools.server(try callingBack("x-cancel", ""))
        #expect(try await Tools.client(["call", Self.url]).status == .exited(2))
        #expect(try await cancelling.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func ifTheSchemeIsTakenTheCallUsesItsOwn() async throws {
        let broker = try await BrokerProcess.start()
        let listener = try await RunningProcess.start(try Binaries.path("ipc-client"), ["listen"], input: .none)
        try await listener.errors.waitForLine { $0.hasPrefix("listening") }
        let server = try await Tools.server(try callingBack("x-success", "?result=mine"))
        let called = try await Tools.client(["call", Self.url])
        #expect(called.status == .success && called.output == "mine", "\(called)")
        #expect(try await listener.terminate() == .success)
        #expect(listener.output.text.isEmpty)
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    /// The server calls back, and the client's handler gets a separate message.
    @Test func theServerOpensTheCallbackThatTheSenderNames() async throws {
        let broker = try await BrokerProcess.start()
        let listener = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["listen", "--count", "1"], input: .none)
        try await listener.errors.waitForLine { $0.hasPrefix("listening") }
        let server = try await Tools.server(["--reply", "good morning"])
        let opened = try await Tools.client(["open", Self.url + "&x-success=IPCClient.demo%3Agreeted"])
        #expect(opened.status == .success && opened.output == "good morning", "\(opened)")
        #expect(try await listener.nextLine() == #"\(no payload: IPCClient.demo:greeted?result=good%20morning)"#)
        #expect(try await listener.wait() == .success)
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    /// When a call ends, its callback scheme is removed. A callback still on its way must not wait for a receiver.
    @Test func aFinishedCallLeavesNoRequestBehind() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--reply", "good morning"])
        for _ in 0..<5 { #expect(try await Tools.client(["call", Self.url]).output == "good morning") }
        let began = ContinuousClock.now
        #expect(try await server.terminate() == .success)
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(try await Tools.ids(["--state", "queued"]).isEmpty)
        // The server reports nothing, because a callback without a receiver is not a failure here.
        #expect(server.errors.text == "listening as demo.IPCServer for IPCServer.demo\n")
        withExtendedLifetime(broker) {}
    }

    @Test func failedCallbacksAreReported() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        for callback in ["http%3A%2F%2Fexample.org", "nobody.demo%3A"] {
            #expect(try await Tools.client(["open", Self.url + "&x-success=" + callback]).status == .success)
        }
        try await server.errors.waitForLine {
            $0.hasPrefix("warning: x-success of ") && $0.hasSuffix("was not opened: the scheme http is reserved")
        }
        try await server.errors.waitForLine { $0.contains("was not opened: no application") }
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func anXCallbackRequestCanBeDeclined() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--decline"])
        let called = try await Tools.client(["call", "--json", "IPCServer.demo://x-callback-url/greet"])
        #expect(called.status == .exited(1), "\(called)")
        #expect(try JSONText.string("outcome", in: called.output) == "declined")
        withExtendedLifetime((broker, server)) {}
    }
}
