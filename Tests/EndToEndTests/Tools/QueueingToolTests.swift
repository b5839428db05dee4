import IPCTesting
import Testing

/// Requests that are queued for a handler that is not running, and their outcomes.
@Suite(.privateBus)
struct QueueingToolTests {
    @Test func aQueuedRequestOutlivesTheBrokerAndWaitsForItsHandler() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("kept")
        #expect(try await Tools.ids(["--state", "waiting"]) == [id])
        try await broker.kill9()
        try await broker.restart()
        let server = try await Tools.server(["--count", "1"])
        #expect(try await server.nextLine() == "kept")
        #expect(try await server.wait() == .success)
        let waited = try await Tools.client(["request", "wait", id])
        #expect(waited.status == .success && waited.output.isEmpty, "\(waited)")
        #expect(try await Tools.ids(["--state", "handled"]) == [id])
        #expect(try await Tools.ids(["--state", "queued"]) == [])
    }

    /// Two sends in quick succession: the original samples lose the first text and show the second one twice.
    @Test func twoQuickSendsArriveEachOnceAndInOrder() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let ids = [try await Tools.queue("one"), try await Tools.queue("two")]
        #expect(try await Tools.ids([]) == ids)
        let server = try await Tools.server()
        #expect(try await server.nextLine() == "one")
        #expect(try await server.nextLine() == "two")
        for id in ids { #expect(try await Tools.client(["request", "wait", id]).status == .success) }
        #expect(try await server.terminate() == .success)
        #expect(server.output.text == "one\ntwo\n")
        withExtendedLifetime(broker) {}
    }

    @Test func withoutAClaimOnlyRequestsToANamedHandlerAreQueued() async throws {
        let broker = try await BrokerProcess.start()
        let refused = try await Tools.client(["send", "--queue", "x"])
        #expect(refused.status == .exited(68) && refused.output.isEmpty)
        let named = try await Tools.client(["open", "--queue", "--to", "demo.IPCServer", "--json", "IPCServer.demo:x"])
        #expect(named.status == .success, "\(named)")
        #expect(try Tools.json(named.output)["outcome"]?.text == "queued")
        withExtendedLifetime(broker) {}
    }

    @Test func theSameIDHasOneEffect() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = "4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11"
        for _ in 0..<2 { #expect(try await Tools.queue("once", ["--id", id]) == id) }
        let other = try await Tools.client(["send", "--queue", "--id", id, "something else"])
        #expect(other.status == .exited(65))
        #expect(try await Tools.client(["send", "--queue", "--id", "short", "x"]).status == .exited(65))
        #expect(try await Tools.ids([]) == [id])
        withExtendedLifetime(broker) {}
    }

    @Test func aRequestNotDeliveredInTimeExpires() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("late", ["--time-to-live", "200ms"])
        let waited = try await Tools.client(["request", "wait", id])
        #expect(waited.status == .exited(75) && waited.errors.contains("not delivered"), "\(waited)")
        #expect(try await Tools.ids(["--state", "expired"]) == [id])
        let server = try await Tools.server()
        _ = try await Tools.client(["send", "in time"]).succeeded()
        #expect(try await server.nextLine() == "in time")
        withExtendedLifetime(broker) {}
    }

    @Test func aWaitThatTimesOutSaysToTryAgain() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.queue("patient")
        let waited = try await Tools.client(["request", "wait", "--timeout", "50ms", id])
        #expect(waited.status == .exited(75) && waited.errors.contains("trace \(id)"), "\(waited)")
        let json = try await Tools.client(["request", "wait", "--timeout", "50ms", "--json", id])
        #expect(json.status == .exited(75) && json.errors.isEmpty)
        #expect(try Tools.json(json.output)["outcome"]?.text == "queued")
        #expect(try await Tools.request(id)["state"]?.text == "waiting")
        withExtendedLifetime(broker) {}
    }

    /// Content that is too large for a message is queued only for a handler that is declared to accept descriptors.
    @Test func largeContentIsQueuedOnlyForAHandlerThatAcceptsDescriptors() async throws {
        let broker = try await BrokerProcess.start()
        let path = try PrivateBus.current.directory.appending("large")
        _ = try await RunningProcess.run("sh", ["-c", "head -c 17000000 /dev/zero > \(path)"]).succeeded()
        try await Tools.claim()
        let refused = try await Tools.client(["send", "--queue", "--file", path])
        #expect(refused.status == .exited(65), "\(refused)")
        let registered = try await Tools.client([
            "scheme", "register", "IPCServer.demo", "--application", "demo.IPCServer", "--persistent", "--fd", "--json",
        ]).succeeded()
        #expect(try Tools.json(registered.output)["fd"]?.truth == true)
        let queued = try await Tools.client(["send", "--queue", "--file", path]).succeeded()
        let server = try await Tools.server(["--count", "1", "--exec", "wc -c"])
        #expect(try await server.wait() == .success)
        let id = try #require(queued.lines.first)
        #expect(try await Tools.client(["request", "wait", id]).succeeded().output.contains("17000000"))
        withExtendedLifetime(broker) {}
    }

    @Test func aRejectedRequestAmongSeveralIsNamed() async throws {
        let broker = try await BrokerProcess.start()
        let ids = ["4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11", "4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c12"]
        for command in ["cancel", "drop"] {
            let refused = try await Tools.client(["request", command, "--json"] + ids)
            #expect(refused.status == .exited(66))
            let told = try refused.errors.split(separator: "\n").map { try Tools.json(String($0)) }
            #expect(told.compactMap { $0["id"]?.text } == ids, "\(refused)")
        }
        withExtendedLifetime(broker) {}
    }

    @Test func theErrorForAnAbsentHandlerSuggestsQueueing() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        for command in [["send", "x"], ["open", "IPCServer.demo:"]] {
            let refused = try await Tools.client(command)
            #expect(refused.status == .exited(69) && refused.errors.contains("--queue"), "\(refused)")
        }
        #expect(try await !Tools.client(["call", "IPCServer.demo:"]).errors.contains("--queue"))
        withExtendedLifetime(broker) {}
    }
}
