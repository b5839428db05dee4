import IPCTesting
import Testing

/// The order of requests when deliveries switch to a direct connection, and the fate of requests when it is lost.
@Suite(.privateBus, .serialized, .enabled(if: !DirectWay.isUsual, "the test itself must open every direct connection"))
struct DirectDeliveryTests {
    private func open(_ scene: DeliveryScene, window: UInt32 = 8) async throws -> String {
        let unique = try await scene.peer.open("handler", descriptors: true)
        try await scene.succeed(.bus("RequestName", [.s(DeliveryScene.application), .u(4)]), on: "handler")
        try await scene.succeed(
            .register(DeliveryScene.application, [DeliveryScene.scheme], ["window": .u(window)]), on: "handler")
        return unique
    }

    /// Opens the handler's direct connection; deliveries use it once the handler has read everything from the bus.
    private func openDirect(_ scene: DeliveryScene) async throws {
        try await scene.peer.openDirect("direct", of: "handler", ["deliveries": .b(true)])
    }

    @Test func `only a handler that asks for direct deliveries gets them`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        _ = try await open(scene)
        try await scene.peer.openDirect("direct", of: "handler")
        let id = try await scene.queue()
        try await scene.answer(try await scene.next())
        #expect(try await scene.end(id)["outcome"]?.text == "handled")
        #expect(try await scene.peer.waitingCalls(on: "direct") == 0)
    }

    @Test func `I8: direct deliveries start after everything that was sent over the bus has arrived`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        _ = try await open(scene)
        let first = try await scene.queue("1")
        // The broker accepts a request before it sends it to the handler, so the test waits until the request is sent.
        try await withDeadline("delivery of the first request") {
            while try await scene.facts(first)["state"]?.text != "delivered" {}
        }
        try await openDirect(scene)
        // The handler has yet to read the first request and the broker's `Ping` from the bus, so the second request
        // must wait.
        let second = try await scene.queue("2")
        #expect(try await scene.facts(second)["state"]?.text == "waiting")
        let one = try await scene.next()
        #expect((one.id, one.attempt) == (first, 1))
        // While it waits for this answer, the handler also reads the broker's `Ping`, and the second request can be
        // sent.
        try await scene.succeed(.describe(), on: "handler")
        let two = try await scene.next(on: "direct")
        #expect((two.id, two.attempt) == (second, 1))
        try await scene.answer(two, on: "direct")
        try await scene.answer(one)
        for id in [first, second] { #expect(try await scene.end(id)["outcome"]?.text == "handled") }
    }

    @Test func `I7, I8: after a cut, unanswered requests move to the bus, in order, with a higher attempt`()
        async throws
    {
        let scene = try await DeliveryScene.start(handler: false)
        _ = try await open(scene, window: 2)
        try await openDirect(scene)
        // While it waits for this answer, the handler also reads the broker's `Ping`, and then gets requests directly.
        try await scene.succeed(.describe(), on: "handler")
        let waiting = DeliveryScene.newID()
        let serial = try await scene.send(waiting, "0")
        let queued = [try await scene.queue("1"), try await scene.queue("2")]
        for id in [waiting, queued[0]] {
            let request = try await scene.next(on: "direct")
            #expect((request.id, request.attempt) == (id, 1))
        }
        try await scene.peer.close("direct")
        for (id, attempt) in [(waiting, 2), (queued[0], 2), (queued[1], 1)] {
            let request = try await scene.next()
            #expect((request.id, request.attempt) == (id, attempt))
            try await scene.answer(request)
        }
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        for id in queued { #expect(try await scene.end(id)["outcome"]?.text == "handled") }
    }

    @Test func `a handler that also leaves the bus has left`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        let unique = try await open(scene)
        try await openDirect(scene)
        try await scene.succeed(.describe(), on: "handler")
        let serial = try await scene.send(DeliveryScene.newID())
        _ = try await scene.next(on: "direct")
        try await scene.peer.close("direct")
        try await scene.leave("handler", unique)
        let answer = try await scene.peer.reply(serial)
        #expect(answer["outcome"]?.text == "failed")
        #expect(answer["error-code"]?.text == "handler-ended")
    }

    @Test func `a request is cancelled over the connection that delivered it`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        _ = try await open(scene)
        try await openDirect(scene)
        try await scene.succeed(.describe(), on: "handler")
        let id = try await scene.queue()
        let request = try await scene.next(on: "direct")
        try await scene.succeed(.cancelRequest(id))
        #expect(try await scene.peer.nextCall("CancelURL", on: "direct").body.first?.text == id)
        try await scene.answer(request, "cancelled", on: "direct")
        #expect(try await scene.end(id)["outcome"]?.text == "cancelled")
    }

    @Test func `after a cut, a caller finds its request by id`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        _ = try await open(scene)
        try await scene.peer.open("caller", descriptors: true)
        try await scene.peer.openDirect("sender", of: "caller")
        let id = DeliveryScene.newID()
        _ = try await scene.send(id, on: "sender")
        let request = try await scene.next()
        try await scene.peer.close("sender")
        let serial = try await scene.send(id)
        try await scene.answer(request)
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
    }
}
