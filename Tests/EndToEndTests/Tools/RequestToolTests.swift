import IPCTesting
import Testing

/// `request` against the real broker, each command with its exit code.
@Suite(.privateBus)
struct RequestToolTests {
    private static let unknown = "00000000-0000-4000-8000-000000000000"

    @Test(arguments: ["show", "wait", "cancel", "retry", "drop"])
    func anUnknownRequestIsMissingInput(_ command: String) async throws {
        let broker = try await BrokerProcess.start()
        let output = try await Tools.client(["request", command, Self.unknown, "--json"])
        #expect(output.status == .exited(66) && output.errors.contains("\"NoSuchRequest\""), "\(output)")
        #expect(try await Tools.client(["request", command, "no id"]).status == .exited(65))
        #expect(try await Tools.client(["request", "trace", Self.unknown]).status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    @Test func aRequestIsCancelledBeforeItsDelivery() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("never")
        #expect(try await Tools.client(["request", "cancel", id]).status == .success)
        #expect(try await Tools.client(["request", "wait", id]).status == .exited(2))
        // Cancelling a request that has ended is not an error, and does not change its outcome.
        #expect(try await Tools.client(["request", "cancel", id]).status == .success)
        #expect(try await Tools.ids(["--state", "cancelled"]) == [id])
        withExtendedLifetime(broker) {}
    }

    @Test func aRequestIsCancelledAtItsHandler() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", "exec sleep 600"])
        let id = try await Tools.queue("long work")
        #expect(try await server.nextLine() == "long work")
        #expect(try await Tools.request(id)["state"]?.text == "delivered")
        #expect(try await Tools.ids(["--state", "delivered"]) == [id])
        #expect(try await Tools.client(["request", "cancel", id]).status == .success)
        #expect(try await Tools.client(["request", "wait", id]).status == .exited(2))
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func anUnhandledRequestIsRetriedAndThenDropped() async throws {
        let broker = try await BrokerProcess.start()
        let declining = try await Tools.server(["--decline"])
        let id = try await Tools.queue("again")
        #expect(try await Tools.client(["request", "wait", id]).status == .exited(1))
        #expect(try await declining.terminate() == .success)
        try await Tools.claim()
        let new = try #require(try await Tools.client(["request", "retry", id]).succeeded().lines.first)
        #expect(new != id)
        let old = try await Tools.client(["request", "wait", id])
        #expect(old.status == .exited(1) && old.errors.contains("queued again, as \(new)"), "\(old)")
        #expect(try await Tools.request(id)["retried-as"]?.text == new)
        #expect(try await Tools.request(new)["retried-as"] == nil)
        let shown = try await Tools.client(["request", "show", id]).succeeded()
        #expect(shown.lines.contains { $0.hasPrefix("retried as") && $0.hasSuffix(new) }, "\(shown)")
        for command in ["retry", "drop"] {
            let refused = try await Tools.client(["request", command, new])
            #expect(refused.status == .exited(65), "\(refused)")
        }
        let server = try await Tools.server()
        #expect(try await server.nextLine() == "again")
        #expect(try await Tools.client(["request", "wait", new]).status == .success)
        #expect(try await Tools.client(["request", "retry", new]).status == .exited(66))
        #expect(try await Tools.client(["request", "drop", id, new]).status == .success)
        #expect(try await Tools.ids([]) == [])
        #expect(try await Tools.client(["request", "show", id]).status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    @Test func oneFailureAmongSeveralDoesNotSkipTheOthers() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("x")
        let shown = try await Tools.client(["request", "show", "--json", Self.unknown, id])
        #expect(shown.status == .exited(66) && shown.lines.count == 1, "\(shown)")
        #expect(shown.errors.contains("\"warning\":\"NoSuchRequest\""))
        #expect(try await Tools.client(["request", "cancel", Self.unknown, id]).status == .exited(66))
        #expect(try await Tools.client(["request", "wait", id]).status == .exited(2))
        withExtendedLifetime(broker) {}
    }

    @Test func everythingButContentIsShown() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--reply", "the answer"])
        let id = try await Tools.queue("confidential")
        _ = try await Tools.client(["request", "wait", id]).succeeded()
        let json = try await Tools.request(id)
        #expect(json["url"]?.text == "IPCServer.demo://IPCServer.demo?key=value")
        #expect(json["outcome"]?.text == "handled" && json["state"]?.text == "ended")
        #expect(json["application"]?.text == "demo.IPCServer" && json["queue"]?.truth == true)
        #expect(json["source-application"]?.text == "demo.IPCClient" && json["source-strength"]?.text == "claimed")
        #expect(json["pasteboard"]?.text == "demo.IPCClient" && json["attempts"]?.number == 1)
        #expect(json["reply"] == nil)
        let shown = try await Tools.client(["request", "show", id]).succeeded().output
        #expect(shown.contains("handled") && !shown.contains("confidential") && !shown.contains("the answer"))
        #expect(try await Tools.client(["request", "show", "--reply", id]).outputBytes == Array("the answer".utf8))
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func everyStepIsTracedWithoutContent() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("confidential")
        let server = try await Tools.server(["--count", "1"])
        #expect(try await server.wait() == .success)
        _ = try await Tools.client(["request", "wait", id]).succeeded()
        let steps = try await Tools.client(["request", "trace", "--json", id]).succeeded().lines.map(Tools.json)
        let words = steps.compactMap { $0["step"]?.text }
        #expect(words.first == "queued" && words.last == "ended", "\(words)")
        #expect(words.contains("delivered") && words.contains("answered"))
        let delivered = try #require(steps.first { $0["step"]?.text == "delivered" })
        #expect(delivered["attempt"]?.number == 1)
        // All times have the same format, so sorting the strings sorts the times.
        let times = steps.compactMap { $0["time"]?.text }
        #expect(times.count == steps.count && times == times.sorted() && times.allSatisfy { $0.hasSuffix("Z") })
        let table = try await Tools.client(["request", "trace", id]).succeeded()
        #expect(table.lines.count == steps.count && !table.output.contains("confidential"))
        #expect(table.lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count >= 6 })
        withExtendedLifetime(broker) {}
    }

    /// The steps of a request are still available from the next broker.
    @Test func stepsSurviveACleanStopOfTheBroker() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", "sleep 100"])
        let id = try await Tools.client(["send", "--queue", "x"]).succeeded().lines[0]
        _ = try await server.nextLine()
        let before = try await Tools.client(["request", "trace", id]).succeeded().lines
        try #require(before.contains { $0.contains("\tdelivered\t1\t") }, "\(before)")
        #expect(try await broker.terminate() == .success)
        try await broker.restart()
        let after = try await Tools.client(["request", "trace", id]).succeeded().lines
        #expect(Array(after.prefix(before.count)) == before, "\(after)")
        _ = try await server.kill9()
    }

    @Test func aListIsFilteredAndShortened() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        try await Tools.claim("other.demo", for: "org.example.Other")
        let ids = [try await Tools.queue("1"), try await Tools.queue("2"), try await Tools.queue("3")]
        let other = try await Tools.queue("4", ["--url", "other.demo:x"])
        #expect(try await Tools.ids(["--limit", "2"]) == [ids[2], other])
        #expect(try await Tools.ids(["--application", "org.example.Other"]) == [other])
        #expect(try await Tools.ids(["--state", "ended"]) == [])
        let rows = try await Tools.client(["request", "list", "--json", "--limit", "1"]).succeeded().lines
        #expect(rows.count == 1)
        #expect(try Tools.json(rows[0])["url"]?.text == "other.demo:x")
        withExtendedLifetime(broker) {}
    }

    @Test func aTerminalShowsTheNewestRequestsCutToItsWidth() async throws {
        let broker = try await BrokerProcess.start()
        let url = "IPCServer.demo:" + String(repeating: "x", count: 100)
        try await Tools.claim()
        for number in 0..<22 {
            _ = try await Tools.client(["open", "--queue", "\(url)#\(number)"]).succeeded()
        }
        let terminal = try await TerminalSession.start(
            try Binaries.path("ipc-client"), ["request", "list"], columns: 120, rows: 40)
        let screen = try await terminal.wait(forText: "newest 20 of 22 requests")
        let rows = screen.rows.filter { $0.contains("IPCServer.demo:") }
        #expect(rows.count == 20 && rows.allSatisfy { $0.hasSuffix("…") && $0.count == 120 }, "\(screen)")
        // The control: a script gets all requests, and their URLs are not cut.
        let piped = try await Tools.client(["request", "list"]).succeeded()
        #expect(piped.lines.count == 22 && piped.lines.last?.hasSuffix("x#21") == true && piped.errors.isEmpty)
        withExtendedLifetime(broker) {}
    }
}
