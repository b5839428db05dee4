import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I10: repeating a request with its id has no further effect and returns one result, for any client at any time.
@DBusActor
@Suite(.privateBus, .serialized)
struct RepeatedRequestTests {
    private nonisolated static let repeats = TestSize.pick(small: 300, full: 10_000)
    /// The number of times that each request is sent.
    private nonisolated static let times = 10

    private struct Repeated: Sendable {
        let id: String
        let text: String
        let queued: Bool
    }

    @Test func `I10: repeats with the same id have one effect`() async throws {
        let broker = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        let handler = try await HandlerProgram()
        try await handler.install(try await BrokerClient(bus), window: 8)
        var clients: [BrokerClient] = []
        for _ in 0..<8 { clients.append(try await BrokerClient(bus)) }
        var generator = SeededGenerator.forTest("repeats")
        let requests = (0..<Self.repeats / Self.times).map { number in
            Repeated(
                id: RequestID.random(using: &generator).text, text: "text \(number)", queued: number % 2 == 0)
        }
        let results = Observed<[String: [OpenURLResult]]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Each client sends all requests, but starts at a different one, so that some are repeated soon and others
            // late.
            for (number, client) in clients.enumerated() {
                let own = (0..<Self.times).filter { $0 % clients.count == number }.count * requests.count
                group.addTask {
                    try await Self.sendAll(requests, own, from: number * 7, to: handler, by: client, results)
                }
            }
            try await group.waitForAll()
        }
        for request in requests where request.queued {
            var options = WaitRequestOptions()
            options.timeout = 25_000
            let end = try await clients[0].call(URLs1.waitRequest, (request.id, options))
            #expect(end.outcome == "handled")
        }
        try await expectOneEffect(requests, results.value, handler, clients[0])
        withExtendedLifetime(broker) {}
    }

    @Test func `I10: a repeat of an ended request returns its result, even when the queue is full`()
        async throws
    {
        let scene = try await DeliveryScene.start(limits: ["pending-requests-per-handler=1"])
        let queued = try await scene.queue("queued")
        try await scene.answer(try await scene.next())
        #expect(try await scene.end(queued)["outcome"]?.text == "handled")
        let waiting = DeliveryScene.newID()
        let serial = try await scene.send(waiting, "waiting")
        try await scene.answer(try await scene.next())
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        let last = try await scene.queue("last")
        let held = try await scene.next()
        // The control: a new request is rejected, because the limit is reached.
        for options: KeyValuePairs<String, WireValue> in [[:], ["queue": .b(true)]] {
            let refused = try await scene.peer.call(
                DeliveryScene.open(DeliveryScene.newID(), "new", options), on: "caller")
            #expect(refused.error == "org.swiftipc.Error.LimitExceeded")
        }
        let again = try await scene.succeed(DeliveryScene.open(queued, "queued", ["queue": .b(true)]), on: "caller")
        #expect(again["outcome"]?.text == "handled" && again["id"]?.text == queued)
        let repeated = try await scene.send(waiting, "waiting")
        #expect(try await scene.peer.reply(repeated)["outcome"]?.text == "handled")
        try await scene.answer(held)
        #expect(try await scene.end(last)["outcome"]?.text == "handled")
    }

    @Test func `I10: a repeat of an ended request returns its result, even if the policy now rejects its source`()
        async throws
    {
        let scene = try await DeliveryScene.start()
        let queued = try await scene.queue("queued")
        try await scene.answer(try await scene.next(), "declined")
        #expect(try await scene.end(queued)["outcome"]?.text == "declined")
        let retry = WireCall.retryRequest(queued, ["id": .s(DeliveryScene.newID())])
        let first = try await scene.peer.call(retry, on: "caller")
        try await scene.answer(try await scene.next())
        try await scene.succeed(.setPolicy(DeliveryScene.application, ["default": .s("deny")]))
        // The control: a new request is rejected.
        let refused = try await scene.peer.call(DeliveryScene.open(DeliveryScene.newID(), "new", [:]), on: "caller")
        #expect(refused.error == "org.swiftipc.Error.AccessDenied")
        let again = try await scene.succeed(DeliveryScene.open(queued, "queued", ["queue": .b(true)]), on: "caller")
        #expect(again["outcome"]?.text == "declined" && again["id"]?.text == queued)
        let repeated = try await scene.peer.call(retry, on: "caller")
        #expect(repeated.error == nil && repeated.body == first.body)
    }

    private static func sendAll(
        _ requests: [Repeated], _ count: Int, from first: Int, to handler: HandlerProgram, by client: BrokerClient,
        _ results: Observed<[String: [OpenURLResult]]>
    ) async throws {
        for place in 0..<count {
            let request = requests[(place + first) % requests.count]
            let result = try await send(request, to: handler, by: client)
            results.update { $0[request.id, default: []].append(result) }
        }
    }

    private static func send(
        _ request: Repeated, to handler: HandlerProgram, by client: BrokerClient
    ) async throws -> OpenURLResult {
        var options = OpenURLOptions()
        options.id = request.id
        options.items = [.string(request.text)]
        options.pasteboard = "repeats"
        options.sourceApplication = "org.example.Repeater"
        if request.queued { options.queue = true }
        return try await client.call(URLs1.openURL, (handler.url(request.id), options))
    }

    private func expectOneEffect(
        _ requests: [Repeated], _ results: [String: [OpenURLResult]], _ handler: HandlerProgram,
        _ client: BrokerClient
    ) async throws {
        let urls = try handler.log.read().urls
        #expect(urls.count == requests.count)
        #expect(Set(urls) == Set(requests.map { handler.url($0.id) }))
        var counts: Set<UInt64> = []
        for request in requests {
            let told = results[request.id] ?? []
            #expect(told.count == Self.times)
            #expect(Set(told.map(\.id)) == [request.id])
            let change = Set(told.map(\.changeCount))
            #expect(change.count == 1, "\(request.id): \(change)")
            if let count = change.first ?? nil { counts.insert(count) }
            // A queueing sender learns that its request is queued, or the outcome if the request has already ended.
            let outcomes = Set(told.map(\.outcome))
            #expect(outcomes.isSubset(of: request.queued ? ["queued", "handled"] : ["handled"]), "\(outcomes)")
        }
        // Each request changed the pasteboard once, and nothing else changed it.
        #expect(counts.count == requests.count)
        let (last, items) = try await client.get("repeats")
        #expect(last == counts.max() && items.count == 1)
    }

    @Test func `I10: the same id with other arguments is refused, before and after the end and a restart`() async throws
    {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue("a", ["items": .item("x")])
        func expectRefusals() async throws {
            let queue: KeyValuePairs<String, WireValue> = ["queue": .b(true), "items": .item("x")]
            for call in [
                DeliveryScene.open(id, "b", queue), DeliveryScene.open(id, "a", ["queue": .b(true)]),
                DeliveryScene.open(id, "a", ["queue": .b(true), "items": .item("y")]),
                DeliveryScene.open(id, "a", ["items": .item("x")]),
            ] { try await scene.expectError("InvalidArguments", of: call) }
            let same = try await scene.succeed(DeliveryScene.open(id, "a", queue))
            #expect(same["id"]?.text == id, "\(same)")
        }
        try await expectRefusals()
        let request = try await scene.next()
        try await expectRefusals()
        try await scene.answer(request)
        #expect(try await scene.end(id)["outcome"]?.text == "handled")
        try await expectRefusals()
        try await scene.broker.restart()
        try await expectRefusals()
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
    }

    @Test func `I10: a repeated call states the time that is left, and it is the same call`() async throws {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        _ = try await scene.send(id, "a", ["timeout": .u(60_000)])
        #expect(try await scene.next().attempt == 1)
        try await scene.broker.restart()
        let again = try await scene.send(
            id, "a", ["timeout": .u(60_000), "repeated": .b(true), "time-left": .u(50_000)])
        let request = try await scene.next()
        #expect((request["timeout"]?.number ?? .max) <= 50_000, "\(request)")
        try await scene.answer(request)
        #expect(try await scene.peer.reply(again)["outcome"]?.text == "handled")
        // The control: `time-left` is rejected if the call is not a repetition, if it is 0, or if the request is
        // queued.
        for options: KeyValuePairs<String, WireValue> in [
            ["time-left": .u(1)], ["repeated": .b(true), "time-left": .u(0)],
            ["repeated": .b(true), "queue": .b(true), "time-left": .u(1)],
        ] {
            try await scene.expectError("InvalidArguments", of: DeliveryScene.open(DeliveryScene.newID(), "a", options))
        }
        try await scene.expectError("InvalidArguments", of: DeliveryScene.open(id, "a", ["timeout": .u(50_000)]))
    }

    @Test func `I10: two calls that wait for one request get the same answer`() async throws {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        let serials = [try await scene.send(id), try await scene.send(id)]
        let other = try await scene.send(id, "x", on: "witness")
        try await scene.answer(try await scene.next(), "declined", ["items": .item("the reply")])
        let answers = [
            try await scene.peer.reply(serials[0]), try await scene.peer.reply(serials[1]),
            try await scene.peer.reply(other, on: "witness"),
        ]
        #expect(Set(answers.map(\.body)).count == 1, "\(answers)")
        #expect(answers[0]["outcome"]?.text == "declined")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
    }

    /// I7: if a sender repeats a request that the broker has forgotten, it is marked as a possible duplicate.
    @Test func `I7: a waiting request that is repeated to a broker that does not know it starts at attempt 2`()
        async throws
    {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        let serial = try await scene.send(id, "x", ["repeated": .b(true)])
        let request = try await scene.next()
        #expect(request.attempt == 2)
        try await scene.answer(request)
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
    }
}
