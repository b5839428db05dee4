import IPCTesting
import Testing

/// Information about requests: they are queried by id from any connection, listed, traced, retried and forgotten.
@Suite(.privateBus)
struct RequestFactsTests {
    @Test func `I6: any caller that knows the id can wait for the outcome and query it`() async throws {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        let opening = try await scene.send(id)
        let request = try await scene.next()
        let early = try await scene.succeed(.waitRequest(id, milliseconds: 1))
        #expect(early["outcome"]?.text == "queued")
        let waiting = try await scene.peer.send(.waitRequest(id), on: "witness")
        let item = WireValue.item("the reply")
        try await scene.answer(request, "handled", ["items": item])
        let results = [try await scene.peer.reply(waiting, on: "witness"), try await scene.peer.reply(opening)]
        #expect(results[0].body == results[1].body)
        #expect(results[0]["outcome"]?.text == "handled")
        let facts = try await scene.facts(id)
        #expect(facts["items"] == results[0]["items"])
        #expect(facts["items"]?[0]?[0]?[1]?.text == "the reply", "\(facts)")
        // A caller that asks for the outcome again gets the same answer at once.
        #expect(try await scene.end(id).body == results[0].body)
        for call in [WireCall.getRequest, { .waitRequest($0) }, WireCall.traceRequest, WireCall.dropRequest] {
            try await scene.expectError("NoSuchRequest", of: call(DeliveryScene.newID()))
        }
    }

    @Test func `I6: a wait that races with the outcome is answered`() async throws {
        let scene = try await DeliveryScene.start()
        for number in 0..<TestSize.pick(small: 100, full: 2_000) {
            let id = try await scene.queue("\(number)")
            let request = try await scene.next()
            // The peer gives up before these 60 s are over, so a missing answer fails the test.
            let early = try await scene.peer.send(.waitRequest(id, milliseconds: 60_000))
            try await scene.answer(request)
            let late = try await scene.peer.send(.waitRequest(id, milliseconds: 60_000))
            for serial in [early, late] {
                #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
            }
        }
    }

    @Test func `the facts of a request describe its state`() async throws {
        let scene = try await DeliveryScene.start()
        let entries: KeyValuePairs<String, WireValue> = [
            "items": .item("four"), "source-application": .s("demo.Sender"), "pasteboard": .s("facts"),
        ]
        let id = try await scene.queue("a", entries)
        let request = try await scene.next()
        let behind = try await scene.queue("b")
        let delivered = try await scene.facts(id)
        #expect(delivered["state"]?.text == "delivered" && delivered["outcome"]?.text == "queued", "\(delivered)")
        #expect(delivered["url"]?.text == DeliveryScene.url("a"))
        #expect(delivered["application"]?.text == DeliveryScene.application)
        #expect(delivered["source-application"]?.text == "demo.Sender")
        #expect(delivered["source-strength"]?.text == "claimed")
        #expect(delivered["queue"]?.truth == true && delivered["attempts"]?.number == 1, "\(delivered)")
        #expect(delivered["pasteboard"]?.text == "facts")
        #expect(delivered["change-count"] == request["change-count"])
        #expect(delivered["item-count"]?.number == 1 && delivered["size"]?.number == 4, "\(delivered)")
        #expect(delivered["items"] == nil || delivered["items"]?.elements == [])
        #expect(try await scene.facts(behind)["state"]?.text == "waiting")
        try await scene.answer(request, "failed", ["error-code": .s("busy"), "error-message": .s("not now")])
        #expect(try await scene.end(id)["outcome"]?.text == "failed")
        let ended = try await scene.facts(id)
        #expect(ended["state"]?.text == "ended" && ended["error-code"]?.text == "busy", "\(ended)")
        #expect(ended["error-message"]?.text == "not now")
        let times = ["accepted", "ended", "expires"].map { ended[$0]?.number ?? 0 }
        #expect(0 < times[0] && times[0] <= times[1] && times[1] < times[2], "\(times)")
    }

    @Test func `requests are listed in the order of acceptance, by state and application, without content`()
        async throws
    {
        let scene = try await DeliveryScene.start()
        var ids: [String] = []
        for number in 0..<5 { ids.append(try await scene.queue("\(number)", ["items": .item("secret content")])) }
        for _ in 0..<2 { try await scene.answer(try await scene.next()) }
        _ = try await scene.next()
        func list(_ options: KeyValuePairs<String, WireValue>) async throws -> [String] {
            let answer = try await scene.succeed(.listRequests(options))
            #expect(!"\(answer)".contains("secret"))
            return (answer.body[0].elements ?? []).compactMap { $0["id"]?.text }
        }
        #expect(try await scene.facts(ids[2])["state"]?.text == "delivered")
        #expect(try await list([:]) == ids)
        #expect(try await list(["state": .s("ended")]) == Array(ids[..<2]))
        #expect(try await list(["state": .s("handled")]) == Array(ids[..<2]))
        #expect(try await list(["state": .s("failed")]) == [])
        #expect(try await list(["state": .s("delivered")]) == [ids[2]])
        #expect(try await list(["state": .s("waiting")]) == Array(ids[3...]))
        #expect(try await list(["application": .s(DeliveryScene.application)]) == ids)
        #expect(try await list(["application": .s("demo.Other")]) == [])
        #expect(try await list(["limit": .u(2)]) == Array(ids[..<2]))
        #expect(try await list(["limit": .u(2), "after": .s(ids[1])]) == Array(ids[2..<4]))
        #expect(try await list(["after": .s(ids[4])]) == [])
        try await scene.expectError("InvalidArguments", of: .listRequests(["state": .s("lost")]))
    }

    @Test func `a trace shows every step with its attempt, and no content`() async throws {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue("a", ["items": .item("secret content")])
        _ = try await scene.next()
        try await scene.peer.close("handler")
        let handler = try await scene.openHandler()
        let again = try await scene.next()
        #expect(again.id == id && again.attempt == 2)
        try await scene.answer(again, "handled", ["items": .item("secret reply")])
        #expect(try await scene.end(id)["attempts"]?.number == 2)
        let steps = try await scene.trace(id)
        let words = steps.compactMap { $0["step"]?.text }
        #expect(words == ["queued", "delivered", "handler-left", "delivered", "answered", "ended"], "\(words)")
        #expect(steps.map { $0["attempt"]?.number ?? 0 } == [0, 1, 1, 2, 2, 2])
        let times = steps.compactMap { $0["time"]?.number }
        #expect(times.count == steps.count && times == times.sorted())
        #expect(steps[0]["size"]?.number == "secret content".utf8.count)
        #expect(steps[4]["size"]?.number == "secret reply".utf8.count)
        let who = steps[3]["who"]?.text
        #expect(who == DeliveryScene.application || who == handler, "\(who ?? "")")
        #expect(!"\(steps)".contains("secret"))
    }

    @Test func `a request that was not handled can be retried with its payload`() async throws {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue("a", ["items": .item("the payload"), "annotation": .s("a note")])
        let first = try await scene.next()
        try await scene.expectError("InvalidArguments", of: .retryRequest(id))
        try await scene.answer(first, "failed")
        #expect(try await scene.end(id)["outcome"]?.text == "failed")
        let newID = DeliveryScene.newID()
        for _ in 0..<2 {
            #expect(try await scene.succeed(.retryRequest(id, ["id": .s(newID)])).body[0].text == newID)
        }
        let second = try await scene.next()
        #expect(second.id == newID && second.url == first.url && second.attempt == 1)
        #expect(second["items"] == first["items"] && second["annotation"] == first["annotation"])
        try await scene.answer(second)
        #expect(try await scene.end(newID)["outcome"]?.text == "handled")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        #expect(try await scene.steps(id).last == "retried")
        #expect(try await scene.facts(id)["retried-as"]?.text == newID)
        // A request that was handled cannot be retried.
        try await scene.expectError("NoSuchItem", of: .retryRequest(newID))
        try await scene.expectError("NoSuchRequest", of: .retryRequest(DeliveryScene.newID()))
    }

    @Test func `an ended request can be dropped`() async throws {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue()
        let request = try await scene.next()
        try await scene.expectError("InvalidArguments", of: .dropRequest(id))
        try await scene.answer(request, "declined")
        #expect(try await scene.end(id)["outcome"]?.text == "declined")
        try await scene.succeed(.dropRequest(id))
        try await scene.expectError("NoSuchRequest", of: .getRequest(id))
        try await scene.expectError("NoSuchRequest", of: .retryRequest(id))
        #expect(try await scene.succeed(.listRequests()).body[0].elements == [])
    }

    @Test func `the outcome of a queued request is reported only to the connection that queued it`() async throws {
        let scene = try await DeliveryScene.start()
        try await scene.succeed(.bus("AddMatch", [.s("type='signal',member='RequestCompleted'")]), on: "witness")
        let id = try await scene.queue()
        try await scene.answer(try await scene.next())
        #expect(
            try await scene.peer.nextSignal("RequestCompleted", on: "caller").body == [.string(id), .string("handled")])
        #expect(try await scene.end(id)["outcome"]?.text == "handled")
        #expect(try await scene.peer.heardSignals("RequestCompleted", on: "witness") == 0)
        // A waiting sender learns the outcome from the answer to its call, so it gets no signal.
        let serial = try await scene.send(DeliveryScene.newID())
        try await scene.answer(try await scene.next())
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        try await scene.succeed(.describe(), on: "caller")
        #expect(try await scene.peer.heardSignals("RequestCompleted", on: "caller") == 0)
    }

    @Test func `I6: after a restart, ended requests are still known and the others continue`() async throws {
        let scene = try await DeliveryScene.start()
        let done = try await scene.queue("done", ["items": .item("x")])
        try await scene.answer(try await scene.next(), "declined", ["items": .item("the reply")])
        #expect(try await scene.end(done)["outcome"]?.text == "declined")
        let facts = try await scene.facts(done)
        let open = try await scene.queue("open")
        _ = try await scene.next()
        try await scene.broker.restart()
        #expect(try await scene.facts(done).body == facts.body)
        // After the handler registers again, it gets the unanswered request again, because the restarted broker does
        // not know how far the handler got.
        try await scene.succeed(.register(DeliveryScene.application, [DeliveryScene.scheme]), on: "handler")
        let again = try await scene.next()
        #expect(again.id == open && again.attempt == 2)
        try await scene.answer(again)
        #expect(try await scene.end(open)["outcome"]?.text == "handled")
        #expect(try await scene.steps(open).contains("recovered"))
    }
}
