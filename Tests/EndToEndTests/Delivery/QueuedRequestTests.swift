import IPCTesting
import Testing

/// Requests without a waiting sender are stored before their sender gets an answer, and are delivered in sender queues.
@Suite(.privateBus)
struct QueuedRequestTests {
    @Test func `I1, I8: queued requests wait for an absent handler, across a restart, and arrive in order`()
        async throws
    {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.claim()
        var ids: [String] = []
        for number in 0..<10 { ids.append(try await scene.queue("\(number)", ["items": .item("item \(number)")])) }
        try await scene.broker.restart()
        for number in 10..<20 { ids.append(try await scene.queue("\(number)", ["items": .item("item \(number)")])) }
        try await scene.openHandler(persistent: true)
        for number in 0..<20 {
            let request = try await scene.next()
            #expect(request.id == ids[number] && request.path == "\(number)" && request.attempt == 1)
            #expect(request["items"]?[0]?[0]?[1]?.text == "item \(number)")
            // Requests are delivered one at a time: the next one waits until this one is answered.
            #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
            try await scene.answer(request)
        }
        #expect(try await scene.end(ids[19])["outcome"]?.text == "handled")
        for id in ids { #expect(try await scene.facts(id)["outcome"]?.text == "handled") }
    }

    @Test func `I7, I8: unanswered requests are redelivered first, one at a time, with a higher attempt`() async throws
    {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.openHandler(window: 3, persistent: true)
        var ids: [String] = []
        for number in 0..<6 { ids.append(try await scene.queue("\(number)")) }
        let held = [try await scene.next(), try await scene.next(), try await scene.next()]
        #expect(held.map(\.id) == Array(ids[..<3]))
        // Of the three delivered requests, only the second one is answered.
        try await scene.answer(held[1])
        let fourth = try await scene.next()
        #expect(fourth.id == ids[3])
        try await scene.peer.close("handler")
        try await scene.openHandler(window: 3, persistent: true)
        for number in [0, 2, 3] {
            let request = try await scene.next()
            #expect(request.id == ids[number] && request.attempt == 2, "\(request.path), \(request.attempt)")
            try await scene.succeed(.describe())
            #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
            try await scene.answer(request)
        }
        // Once the redelivered requests are answered, the handler again gets several requests at once.
        let rest = [try await scene.next(), try await scene.next()]
        #expect(rest.map(\.id) == Array(ids[4...]) && rest.map(\.attempt) == [1, 1])
        for request in rest { try await scene.answer(request) }
        for id in ids { #expect(try await scene.end(id)["outcome"]?.text == "handled") }
    }

    @Test func `I8: a request that crashes its handler is parked, and later requests continue`() async throws {
        let scene = try await DeliveryScene.start(limits: ["back-off-milliseconds=5"], handler: false)
        let handler = try await HandlerProgram()
        try await handler.install(try await BrokerClient())
        func queue(_ path: String, _ verb: String = "") async throws -> String {
            let id = DeliveryScene.newID()
            try await scene.succeed(.openURL(handler.url(path, verb), ["id": .s(id), "queue": .b(true)]))
            return id
        }
        let ids = [
            try await queue("a"), try await queue("b", "kill"), try await queue("c", "kill-first"),
            try await queue("d"),
        ]
        for id in [ids[0], ids[2], ids[3]] { #expect(try await scene.end(id)["outcome"]?.text == "handled") }
        let parked = try await scene.end(ids[1])
        #expect(parked["outcome"]?.text == "failed" && parked["error-code"]?.text == "parked", "\(parked)")
        #expect(parked["attempts"]?.number == 3)
        let entries = try handler.log.read()
        #expect(entries.attempts(of: ids[1]) == [1, 2, 3])
        #expect(entries.attempts(of: ids[2]) == [1, 2])
        #expect(entries.urls.last == handler.url("d"))
        // A parked request can be retried manually; here, it crashes the handler again and is parked again.
        let again = try #require(try await scene.succeed(.retryRequest(ids[1])).body[0].text)
        #expect(try await scene.end(again)["error-code"]?.text == "parked")
    }

    @Test func `I8: a retry keeps its place among the requests of the connection that made it, across a restart`()
        async throws
    {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.claim()
        let cancelled = try await scene.queue("cancelled")
        try await scene.succeed(.cancelRequest(cancelled))
        let others = [try await scene.queue("other 1"), try await scene.queue("other 2")]
        let retry = try #require(try await scene.succeed(.retryRequest(cancelled)).body[0].text)
        let later = try await scene.queue("later", on: "witness")
        try await scene.openHandler()
        // Sender queues take turns, so that the first request of each comes first.
        let first = try await scene.next()
        try await scene.answer(first)
        #expect(try await scene.next().id == retry)
        #expect(first.id == others[0])
        try await scene.peer.close("handler")
        try await scene.broker.restart()
        try await scene.openHandler()
        for id in [others[1], retry, later] {
            let request = try await scene.next()
            #expect(request.id == id)
            try await scene.answer(request)
        }
    }

    @Test func `I8: a request is not parked if other requests were in flight at the crash`() async throws {
        let scene = try await DeliveryScene.start(
            limits: ["back-off-milliseconds=5", "attempts=1"], handler: false)
        try await scene.openHandler(window: 2, persistent: true)
        let ids = [try await scene.queue("a"), try await scene.queue("b")]
        _ = [try await scene.next(), try await scene.next()]
        try await scene.peer.close("handler")
        try await scene.openHandler(window: 2, persistent: true)
        // Only this request is redelivered. It is the only one in flight when the handler leaves again, so it is
        // parked.
        #expect(try await scene.next().id == ids[0])
        try await scene.peer.close("handler")
        #expect(try await scene.end(ids[0])["error-code"]?.text == "parked")
        try await scene.openHandler(window: 2, persistent: true)
        let second = try await scene.next()
        #expect(second.id == ids[1] && second.attempt == 2)
        try await scene.answer(second)
        #expect(try await scene.end(ids[1])["outcome"]?.text == "handled")
    }

    @Test func `I6: a request that is not delivered in time expires, and the handler never sees it`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.claim()
        let short = try await scene.queue("short", ["time-to-live": .t(100)])
        let long = try await scene.queue("long", ["time-to-live": .t(3_600_000)])
        #expect(try await scene.end(short)["outcome"]?.text == "expired")
        #expect(try await scene.facts(long)["state"]?.text == "waiting")
        // A request also expires while no broker is running.
        let unseen = try await scene.queue("unseen", ["time-to-live": .t(1)])
        try await scene.broker.restart()
        #expect(try await scene.end(unseen)["outcome"]?.text == "expired")
        try await scene.openHandler(persistent: true)
        let request = try await scene.next()
        #expect(request.id == long)
        try await scene.answer(request)
        #expect(try await scene.end(long)["outcome"]?.text == "handled")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
    }

    @Test func `a request that cannot be queued is rejected`() async throws {
        let scene = try await DeliveryScene.start()
        func refused(_ name: String, _ url: String, _ options: [(String, WireValue)]) async throws {
            try await scene.expectError(name, of: WireCall("URLs1", "OpenURL", [.s(url), .dictionary(options)]))
        }
        let queue = ("queue", WireValue.b(true))
        let set = WireValue.options(["sensitive": .b(true)])
        try await refused("NoHandler", "nobody.demo:", [queue])
        try await refused(
            "InvalidArguments", DeliveryScene.url(),
            [queue, ("items", .item("x")), ("pasteboard", .s("secret")), ("set", set)])
        try await refused("InvalidArguments", DeliveryScene.url(), [("time-to-live", .t(1_000))])
        #expect(try await scene.succeed(.listRequests()).body[0].elements == [])
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        // A request that names its application needs no claim.
        let answer = try await scene.succeed(
            .openURL("nobody.demo:", ["queue": .b(true), "application": .s("demo.Later")]))
        #expect(answer["outcome"]?.text == "queued" && answer["application"]?.text == "demo.Later", "\(answer)")
    }

    @Test func `a request that a handler hands back keeps its place until the handler registers again`() async throws {
        let scene = try await DeliveryScene.start(limits: ["attempts=1"])
        let ids = [try await scene.queue("a"), try await scene.queue("b")]
        let first = try await scene.next()
        try await scene.peer.answer(
            first.call, [.s("nobody looked")], error: "org.swiftipc.Error.HandlerUnavailable", on: "handler")
        try await scene.succeed(.describe(), on: "handler")
        #expect(try await scene.facts(ids[0])["state"]?.text == "waiting")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        try await scene.succeed(.register(DeliveryScene.application, [DeliveryScene.scheme]), on: "handler")
        for id in ids {
            let request = try await scene.next()
            #expect(request.id == id)
            try await scene.answer(request)
        }
        #expect(try await scene.end(ids[1])["outcome"]?.text == "handled")
        #expect(try await scene.steps(ids[0]).contains("handed-back"))
    }

    @Test func `the sender queues of a handler take turns`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.claim()
        for number in 0..<20 { try await scene.queue("many/\(number)", ["source-application": .s("demo.Many")]) }
        for number in 0..<2 { try await scene.queue("few/\(number)", ["source-application": .s("demo.Few")]) }
        try await scene.openHandler(persistent: true)
        var paths: [String] = []
        for _ in 0..<6 {
            let request = try await scene.next()
            paths.append(request.path)
            try await scene.answer(request)
        }
        #expect(paths.filter { $0.hasPrefix("few") } == ["few/0", "few/1"], "\(paths)")
        #expect(paths.filter { $0.hasPrefix("many") } == (0..<4).map { "many/\($0)" }, "\(paths)")
    }

    @Test func `I8: waiting and queued requests share one sender queue`() async throws {
        let scene = try await DeliveryScene.start()
        var serials: [Int] = []
        for number in 0..<6 {
            if number % 2 == 0 {
                try await scene.queue("\(number)")
            } else {
                serials.append(try await scene.send(DeliveryScene.newID(), "\(number)"))
            }
        }
        for number in 0..<6 {
            let request = try await scene.next()
            #expect(request.path == "\(number)")
            try await scene.answer(request)
        }
        for serial in serials { #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled") }
    }

    @Test func `a returned request is redelivered, with a growing delay if it is returned repeatedly`()
        async throws
    {
        let scene = try await DeliveryScene.start(limits: ["back-off-milliseconds=60000"])
        let id = try await scene.queue()
        func giveBack() async throws -> Int {
            let request = try await scene.next()
            #expect(request.id == id)
            try await scene.peer.answer(
                request.call, [.s("not now")], error: "org.swiftipc.Error.HandlerUnavailable", on: "handler")
            return request.attempt
        }
        #expect(try await giveBack() == 1)
        // The returned request is not delivered again before the handler registers again.
        try await scene.succeed(.describe(), on: "handler")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        let register = WireCall.register(DeliveryScene.application, [DeliveryScene.scheme])
        try await scene.succeed(register, on: "handler")
        #expect(try await giveBack() == 2)
        try await scene.succeed(.describe(), on: "handler")
        try await scene.succeed(register, on: "handler")
        try await scene.succeed(.describe(), on: "handler")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        #expect(try await scene.steps(id).filter { $0 == "handed-back" }.count == 2)
        #expect(try await scene.facts(id)["state"]?.text == "waiting")
        // A request that the handler did not return is delivered at once.
        let other = try await scene.queue("other", ["source-application": .s("demo.Other")])
        let request = try await scene.next()
        #expect(request.id == other)
        try await scene.answer(request)
    }

    @Test func `I1: once a call that cancels a request is answered, the request has ended, also for the next broker`()
        async throws
    {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.claim()
        for round in 0..<20 {
            let id = try await scene.queue("\(round)")
            try await scene.succeed(.cancelRequest(id))
            // Only a request that has ended can be dropped.
            try await scene.succeed(.dropRequest(id))
        }
        let id = try await scene.queue("last")
        try await scene.succeed(.cancelRequest(id))
        try await scene.broker.restart()
        #expect(try await scene.facts(id)["outcome"]?.text == "cancelled")
    }

    @Test func `a request that is cancelled in flight is not redelivered after its handler leaves`() async throws {
        let scene = try await DeliveryScene.start(limits: ["back-off-milliseconds=5"])
        let (id, other) = (try await scene.queue("off"), try await scene.queue("other"))
        _ = try await scene.next()
        try await scene.succeed(.cancelRequest(id))
        _ = try await scene.peer.nextCall("CancelURL", on: "handler")
        try await scene.peer.close("handler")
        #expect(try await scene.end(id)["outcome"]?.text == "cancelled")
        try await scene.openHandler()
        let request = try await scene.next()
        #expect(request.id == other)
        try await scene.answer(request)
    }

    @Test func `I19: a retry does not bypass a newer deny rule`() async throws {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue("x", ["source-application": .s("demo.Refused")])
        try await scene.answer(try await scene.next(), "failed")
        #expect(try await scene.end(id)["outcome"]?.text == "failed")
        let policy = WireValue.options(["deny": .strings(["demo.Refused"])])
        try await scene.succeed(
            WireCall("Schemes1", "SetPolicy", [.s(DeliveryScene.application), policy, .none]))
        try await scene.expectError("AccessDenied", of: .retryRequest(id))
        try await scene.succeed(
            WireCall("Schemes1", "SetPolicy", [.s(DeliveryScene.application), .none, .none]))
        try await scene.succeed(.retryRequest(id))
        try await scene.answer(try await scene.next())
    }
}
