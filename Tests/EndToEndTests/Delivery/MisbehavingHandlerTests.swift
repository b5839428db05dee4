import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I6, I15: whatever a handler does, its sender gets the documented result, and no other client waits for it.
@DBusActor
@Suite(.privateBus, .serialized)
struct MisbehavingHandlerTests {
    private nonisolated static let rounds = TestSize.pick(small: 2, full: 50)
    private nonisolated static let calls = TestSize.pick(small: 100, full: 2_000)

    /// A handler's misbehaviour, and the result that its waiting sender must get.
    private struct Misbehaviour: Sendable {
        let verb: String
        let outcome: String
        var code = ""
        var errorName = ""
        /// In milliseconds.
        var timeout: UInt32 = 20_000
    }

    private nonisolated static let all = [
        Misbehaviour(verb: "never", outcome: "timed-out", timeout: 50),
        Misbehaviour(verb: "when-cancelled", outcome: "timed-out", timeout: 50),
        Misbehaviour(verb: "twice", outcome: "declined"),
        Misbehaviour(verb: "kill", outcome: "failed", code: "handler-ended"),
        Misbehaviour(verb: "end-before", outcome: "failed", code: "handler-ended"),
        Misbehaviour(verb: "end-after", outcome: "handled"),
        Misbehaviour(verb: "declined", outcome: "declined", code: "busy"),
        Misbehaviour(verb: "cancelled", outcome: "cancelled", code: "busy"),
        Misbehaviour(verb: "failed", outcome: "failed", code: "busy"),
        Misbehaviour(verb: "error", outcome: "failed", errorName: "demo.Error.Broken"),
        Misbehaviour(verb: "open=good.example:x", outcome: "handled"),
    ]

    @Test func `I6, I15: a misbehaving handler harms only itself and its senders`() async throws {
        let broker = try await Self.broker()
        let good = try await TestHandler("org.example.Good", "good.example")
        let (client, victim) = (try await BrokerClient(), try await BrokerClient())
        let bad = try await HandlerProgram()
        try await bad.install(client, window: 16)
        let calls = Self.calls
        let quiet = try await Latency.measure("good.example:x", by: victim) { $0.count < calls }
        let isOver = Observed(false)
        let measuring = Task {
            try await Latency.measure("good.example:x", by: victim) { _ in !isOver.value }
        }
        do {
            defer { isOver.update { $0 = true } }
            for _ in 0..<Self.rounds { try await Self.misbehave(bad, client) }
        }
        let busy = try await measuring.value
        print("misbehaving: another client quiet \(quiet); meanwhile \(busy)")
        #expect(busy.count > Self.calls && busy.p99 < Latency.bound)
        #expect(good.connection.isConnected && broker.isRunning)
    }

    private static func broker() async throws -> BrokerProcess {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "activation-starts=1000", "--limit", "back-off-milliseconds=1"]
        settings.arguments += ["--limit", "unanswered-most=1000"]
        return try await BrokerProcess.start(settings)
    }

    private static func misbehave(_ bad: HandlerProgram, _ client: BrokerClient) async throws {
        // The handler is started first, because the time-outs of the first requests are too short for a start.
        #expect(try await client.open(bad.url()).outcome == "handled")
        for row in all {
            var options = OpenURLOptions()
            options.id = RequestID.random().text
            options.timeout = row.timeout
            let result = try await client.call(URLs1.openURL, (bad.url("x", row.verb), options))
            #expect(result.outcome == row.outcome, "\(row.verb): \(result)")
            #expect(result.errorCode ?? "" == row.code, "\(row.verb): \(result)")
            #expect(row.errorName.isEmpty || result.errorName == row.errorName, "\(row.verb): \(result)")
            guard let id = options.id, row.verb == "when-cancelled" else { continue }
            try await withDeadline("late outcome of \(id)") { try await Self.waitForLateOutcome(of: id, client) }
            let facts = try await client.call(URLs1.getRequest, (id, GetRequestOptions()))
            #expect(facts.outcome == "timed-out" && facts.lateOutcome == "handled")
        }
        try await bad.log.wait("call of the good handler") { log in
            log.entries.contains { if case .opened(_, "handled") = $0 { true } else { false } }
        }
    }

    private static func waitForLateOutcome(of id: String, _ client: BrokerClient) async throws {
        while try await client.call(URLs1.getRequest, (id, GetRequestOptions())).lateOutcome == nil {
            try Task.checkCancellation()
        }
    }

    /// Handlers that open their own URLs, and each other's.
    @Test(arguments: [[0, 0], [0, 1]])
    func `I6: a loop of handlers is broken, and all of them get an answer`(_ numbers: [Int]) async throws {
        let broker = try await Self.broker()
        let client = try await BrokerClient()
        var handlers: [HandlerProgram] = []
        for number in Set(numbers).sorted() {
            let handler = try await HandlerProgram(number)
            try await handler.install(client, window: 16)
            handlers.append(handler)
        }
        let first = handlers[0]
        let last = handlers[handlers.count - 1]
        let result = try await client.open("\(first.scheme):loop?ping=\(last.scheme)")
        #expect(result.outcome == "handled", "\(result)")
        let entries = try handlers.flatMap { try $0.log.read() }
        // One request was opened by the test, and eight nested ones, which is the maximum, by the handlers.
        #expect(entries.urls.count == 1 + 8)
        let words = entries.compactMap { if case .opened(_, let word) = $0 { word } else { nil } }
        #expect(words.count == 1 + 8)
        #expect(words.filter { $0 != "handled" } == ["org.swiftipc.Error.LoopDetected"])
        withExtendedLifetime(broker) {}
    }
}
