import IPCTesting
import Testing

/// I24: a request that is repeated after a restart of the bus ends as if the bus had not stopped, whatever its handler
/// was doing.
@Suite(.privateBus)
struct BusRestartTests {
    /// Restarts the bus and the broker. The handler stays away.
    private func restartBus(of scene: DeliveryScene) async throws {
        try await scene.bus.kill()
        // The broker stores the requests that have not ended, and exits.
        try await scene.broker.wait()
        try await scene.bus.startAgain()
        try await scene.broker.restart()
        for connection in ["caller", "witness"] { try await scene.peer.open(connection) }
    }

    @Test func `I24: a repeated request waits for its handler to return`() async throws {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        _ = try await scene.send(id)
        _ = try await scene.next()
        try await restartBus(of: scene)
        let serial = try await scene.send(id)
        // When this call is answered, the broker has received the request.
        try await scene.succeed(.describe(), on: "caller")
        try await scene.openHandler()
        let request = try await scene.next()
        #expect(request.id == id)
        try await scene.answer(request)
        let answer = try await scene.peer.reply(serial)
        #expect(answer["outcome"]?.text == "handled", "\(answer)")
    }

    @Test func `if the handler does not return, the repeated request is unavailable`() async throws {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        _ = try await scene.send(id)
        _ = try await scene.next()
        try await restartBus(of: scene)
        let answer = try await scene.peer.reply(try await scene.send(id))
        #expect(answer["outcome"]?.text == "unavailable", "\(answer)")
        #expect(answer["error-message"]?.text?.contains("is not running") == true, "\(answer)")
    }

    @Test func `I24: a restart does not end a request whose handler is being started`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.bus.addService(name: DeliveryScene.application, exec: "/bin/sleep 1000")
        try await scene.claim()
        let id = DeliveryScene.newID()
        _ = try await scene.send(id)
        try await withDeadline("the start of the handler") {
            while !(try await scene.isStarting(id)) { await Task.yield() }
        }
        try await restartBus(of: scene)
        #expect(try await scene.facts(id)["state"]?.text == "waiting")
        try await scene.openHandler()
        let serial = try await scene.send(id)
        let request = try await scene.next()
        #expect(request.id == id)
        try await scene.answer(request)
        let answer = try await scene.peer.reply(serial)
        #expect(answer["outcome"]?.text == "handled", "\(answer)")
    }
}
