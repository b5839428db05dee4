import Glibc
import IPCTesting
import Testing

/// Waiting senders learn the outcome at once, whatever their handler, other programs or they themselves do.
@Suite(.privateBus)
struct WaitingRequestTests {
    @Test func `I6: if the handler exits, its request fails immediately`() async throws {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        let serial = try await scene.send(id)
        #expect(try await scene.next().attempt == 1)
        try await scene.peer.close("handler")
        // The request's time-out is longer than the peer waits for a reply, so it did not cause this result.
        let result = try await scene.peer.reply(serial)
        #expect(result["outcome"]?.text == "failed", "\(result)")
        #expect(result["error-code"]?.text == "handler-ended")
        // A waiting request is not redelivered: its sender already has its answer.
        try await scene.openHandler()
        let next = try await scene.send(DeliveryScene.newID(), "next")
        let request = try await scene.next()
        #expect(request.path == "next")
        try await scene.answer(request)
        #expect(try await scene.peer.reply(next)["outcome"]?.text == "handled")
    }

    @Test func `I6: after the handler exits, the requests behind go to its next process`() async throws {
        let scene = try await DeliveryScene.start()
        let handler = try await HandlerProgram()
        let client = try await BrokerClient()
        try await handler.install(client)
        func open(_ path: String, _ verb: String = "") async throws -> Int {
            try await scene.peer.send(.openURL(handler.url(path, verb), ["timeout": DeliveryScene.longTimeout]))
        }
        let serials = [try await open("a", "kill"), try await open("b"), try await open("c")]
        #expect(try await scene.peer.reply(serials[0])["error-code"]?.text == "handler-ended")
        for serial in serials[1...] {
            let answer = try await scene.peer.reply(serial)
            #expect(answer["outcome"]?.text == "handled", "\(answer)")
        }
        let urls = [handler.url("a", "kill"), handler.url("b"), handler.url("c")]
        try await handler.log.waitForRequests(3)
        #expect(handler.log.entries.urls == urls)
        #expect(handler.log.entries.starts.count == 2)
    }

    @Test func `I6: a handler that exits before the broker learns of its start counts as started`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        let handler = try await HandlerProgram()
        try await handler.install(try await BrokerClient())
        // strace delays the broker after every message that it sends, so that the receiver acts long before the broker
        // goes on.
        let delay = try await RunningProcess.start(
            "strace",
            [
                "-f", "-o", "/dev/null", "-e", "trace=sendmsg", "-e", "inject=sendmsg:delay_exit=200000", "-p",
                String(scene.broker.pid),
            ], input: .none)
        try await delay.errors.waitForLine(containing: "Process \(scene.broker.pid) attached")
        func open(_ path: String, _ verb: String = "") async throws -> Int {
            try await scene.peer.send(.openURL(handler.url(path, verb), ["timeout": DeliveryScene.longTimeout]))
        }
        let serials = [try await open("a", "kill"), try await open("b")]
        #expect(try await scene.peer.reply(serials[0])["error-code"]?.text == "handler-ended")
        let answer = try await scene.peer.reply(serials[1])
        #expect(answer["outcome"]?.text == "handled", "\(answer)")
        try await delay.terminate()
    }

    @Test func `I6: a sender that leaves before the delivery cancels its request`() async throws {
        let scene = try await DeliveryScene.start()
        let first = try await scene.send(DeliveryScene.newID(), "first")
        let held = try await scene.next()
        let unique = try await scene.peer.open("leaver")
        let id = DeliveryScene.newID()
        _ = try await scene.send(id, "second", on: "leaver")
        try await scene.succeed(.describe(), on: "leaver")
        #expect(try await scene.facts(id)["state"]?.text == "waiting")
        try await scene.leave("leaver", unique)
        #expect(try await scene.end(id)["outcome"]?.text == "cancelled")
        try await scene.answer(held)
        #expect(try await scene.peer.reply(first)["outcome"]?.text == "handled")
        _ = try await scene.send(DeliveryScene.newID(), "third")
        #expect(try await scene.next().path == "third")
    }

    @Test func `I6: a sender that leaves after the delivery can query the outcome later`() async throws {
        let scene = try await DeliveryScene.start()
        let unique = try await scene.peer.open("leaver")
        let id = DeliveryScene.newID()
        _ = try await scene.send(id, on: "leaver")
        let request = try await scene.next()
        try await scene.leave("leaver", unique)
        #expect(try await scene.facts(id)["state"]?.text == "delivered")
        try await scene.answer(request, "declined")
        #expect(try await scene.end(id)["outcome"]?.text == "declined")
    }

    @Test func `if the handler is absent and cannot be started, the request is rejected`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.claim()
        let id = DeliveryScene.newID()
        let sentence = try await scene.expectError("HandlerUnavailable", of: DeliveryScene.open(id))
        #expect(sentence.contains(DeliveryScene.application))
        try await scene.expectError(
            "HandlerUnavailable", of: .openURL("nobody.demo:", ["application": .s("demo.Nobody")]))
        #expect(try await scene.succeed(.canOpenURL(DeliveryScene.url())).body[0].truth == false)
        try await scene.expectError("NoSuchRequest", of: .getRequest(id))
        try await scene.expectError("NoHandler", of: .openURL("nobody.demo:"))
    }

    @Test(.enabled(if: DoctorScene.startsAgain, "the bus must answer a start that follows a failed start"))
    func `I6: a failed start ends the request with the reason, and starts are not retried forever`() async throws {
        let scene = try await DeliveryScene.start(limits: ["back-off-milliseconds=1"], handler: false)
        let starts = scene.bus.directory.appending("starts")
        try FileContents.write("", to: starts)
        let script = scene.bus.directory.appending("fails.sh")
        try FileContents.write("#!/bin/sh\necho start >>\(starts)\nexit 3\n", to: script, isProgram: true)
        try await scene.bus.addService(name: DeliveryScene.application, exec: script)
        try await scene.claim()
        let first = try await scene.succeed(.openURL(DeliveryScene.url()))
        #expect(first["outcome"]?.text == "unavailable", "\(first)")
        #expect(first["error-message"]?.text?.contains(DeliveryScene.application) == true, "\(first)")
        var last = first
        for _ in 0..<50 where last.error == nil { last = try await scene.peer.call(.openURL(DeliveryScene.url())) }
        #expect(last.error == "org.swiftipc.Error.HandlerUnavailable", "\(last)")
        #expect(try FileContents.text(starts).split(separator: "\n").count == 5)
        // A queued request, in contrast, does not end when the start of its handler fails.
        let id = try await scene.queue()
        #expect(try await scene.facts(id)["state"]?.text == "waiting")
    }

    @Test func `all senders wait for a handler that starts slowly, and it is started once`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        let handler = try await HandlerProgram()
        try await handler.install(try await BrokerClient(), window: 8, late: 0.3)
        var serials: [Int] = []
        for number in 0..<20 { serials.append(try await scene.peer.send(.openURL(handler.url("\(number)")))) }
        for serial in serials { #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled") }
        #expect(try handler.log.read().starts.count == 1)
        #expect(try handler.log.read().urls == (0..<20).map { handler.url("\($0)") })
    }

    @Test func `I6: without an answer in time the request times out, and the first late answer is recorded`()
        async throws
    {
        let scene = try await DeliveryScene.start()
        let id = DeliveryScene.newID()
        let serial = try await scene.send(id, "x", ["timeout": .u(50)])
        let request = try await scene.next()
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "timed-out")
        #expect(try await scene.peer.nextCall("CancelURL", on: "handler").body == [.string(id)])
        #expect(try await scene.facts(id)["late-outcome"]?.text ?? "" == "")
        try await scene.answer(request, "declined")
        try await scene.answer(request, "handled")
        // By the time the broker answers this call, it has read the two answers that the handler sent before it.
        try await scene.succeed(.describe(), on: "handler")
        let facts = try await scene.facts(id)
        #expect(facts["outcome"]?.text == "timed-out", "\(facts)")
        #expect(facts["late-outcome"]?.text == "declined", "\(facts)")
        #expect(try await scene.steps(id).contains("answered-late"))
    }

    @Test func `a handler with too many unanswered requests gets no more until it answers`() async throws {
        let scene = try await DeliveryScene.start(limits: ["unanswered-most=2"])
        var held: [HandedRequest] = []
        for _ in 0..<2 {
            let serial = try await scene.send(DeliveryScene.newID(), "x", ["timeout": .u(50)])
            held.append(try await scene.next())
            #expect(try await scene.peer.reply(serial)["outcome"]?.text == "timed-out")
        }
        let late = try await scene.send(DeliveryScene.newID(), "late", ["timeout": .u(50)])
        #expect(try await scene.peer.reply(late)["outcome"]?.text == "expired")
        let id = try await scene.queue("queued")
        #expect(try await scene.facts(id)["state"]?.text == "waiting")
        for request in held { try await scene.answer(request) }
        let request = try await scene.next()
        #expect(request.path == "queued")
        try await scene.answer(request)
        #expect(try await scene.end(id)["outcome"]?.text == "handled")
    }

    @Test func `I6, I9: a request can be cancelled in every state`() async throws {
        let scene = try await DeliveryScene.start()
        let (first, second) = (DeliveryScene.newID(), DeliveryScene.newID())
        let serials = [try await scene.send(first, "first"), try await scene.send(second, "second")]
        let request = try await scene.next()
        // When this call is answered, the broker has also received the second request.
        try await scene.succeed(.describe(), on: "caller")
        // A request that was not delivered ends when any connection cancels it.
        try await scene.succeed(.cancelRequest(second))
        #expect(try await scene.peer.reply(serials[1])["outcome"]?.text == "cancelled")
        // When a delivered request is cancelled, its handler is told, and decides the outcome.
        try await scene.succeed(.cancelRequest(first))
        #expect(try await scene.peer.nextCall("CancelURL", on: "handler").body == [.string(first)])
        #expect(try await scene.facts(first)["state"]?.text == "delivered")
        try await scene.answer(request, "cancelled")
        #expect(try await scene.peer.reply(serials[0])["outcome"]?.text == "cancelled")
        // Cancelling a request that has ended changes nothing, and does not affect a request that was sent later.
        let third = try await scene.send(DeliveryScene.newID(), "third")
        let last = try await scene.next()
        #expect(last.path == "third")
        try await scene.succeed(.cancelRequest(first))
        try await scene.succeed(.cancelRequest(last.id))
        try await scene.answer(last, "handled")
        #expect(try await scene.peer.reply(third)["outcome"]?.text == "handled")
        try await scene.succeed(.cancelRequest(last.id))
        #expect(try await scene.facts(last.id)["outcome"]?.text == "handled")
        try await scene.expectError("NoSuchRequest", of: .cancelRequest(DeliveryScene.newID()))
    }

    @Test func `I24: a handler that does not notice a restart of the broker keeps its claim`() async throws {
        let scene = try await DeliveryScene.start()
        for _ in 0..<3 {
            try await scene.broker.restart()
            let serial = try await scene.send(DeliveryScene.newID())
            try await scene.answer(try await scene.next())
            #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        }
        // The control: after its restart, the broker waits a while for a handler that has left, and then reports
        // NoHandler.
        try await scene.peer.close("handler")
        try await scene.broker.restart()
        try await scene.expectError("NoHandler", of: DeliveryScene.open(DeliveryScene.newID()))
    }

    @Test func `I24: a handler that returns after the broker gets the requests that arrived in between`() async throws {
        let scene = try await DeliveryScene.start()
        // The broker and the handler end together, as when the bus exits: the broker never notices that the handler
        // left.
        scene.broker.signal(SIGSTOP)
        try await scene.peer.close("handler")
        try await scene.broker.restart()
        let serial = try await scene.send(DeliveryScene.newID())
        try await scene.succeed(.describe())
        try await scene.openHandler()
        try await scene.answer(try await scene.next())
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
    }

    @Test func `I8: a request that needs no disk does not overtake an earlier one that does`() async throws {
        let scene = try await DeliveryScene.start()
        // A first request, after which the broker knows the caller and need not ask the bus about it.
        let known = try await scene.send(DeliveryScene.newID(), "known")
        try await scene.answer(try await scene.next())
        #expect(try await scene.peer.reply(known)["outcome"]?.text == "handled")
        // The broker is stopped until all ten requests have been sent.
        scene.broker.signal(SIGSTOP)
        defer { scene.broker.signal(SIGCONT) }
        var serials: [Int] = []
        for number in 0..<10 {
            let timeout = KeyValuePairs(dictionaryLiteral: ("timeout", DeliveryScene.longTimeout))
            let options = number % 3 == 0 ? ["queue": .b(true)] : timeout
            serials.append(try await scene.send(DeliveryScene.newID(), "\(number)", options))
        }
        scene.broker.signal(SIGCONT)
        for number in 0..<10 {
            let request = try await scene.next()
            #expect(request.path == "\(number)")
            try await scene.answer(request)
        }
        for (number, serial) in serials.enumerated() {
            let expected = number % 3 == 0 ? "queued" : "handled"
            #expect(try await scene.peer.reply(serial)["outcome"]?.text == expected)
        }
    }

    @Test func `a request with a pasteboard sees its sender's earlier writes`() async throws {
        let scene = try await DeliveryScene.start()
        try await scene.succeed(.getPasteboard("canary", create: true), on: "caller")
        let known = try await scene.send(DeliveryScene.newID(), "known")
        try await scene.answer(try await scene.next())
        #expect(try await scene.peer.reply(known)["outcome"]?.text == "handled")
        scene.broker.signal(SIGSTOP)
        defer { scene.broker.signal(SIGCONT) }
        var serials: [(write: Int, request: Int)] = []
        for number in 0..<10 {
            let write = try await scene.peer.send(.setItems(.item("\(number)")), on: "caller")
            let request = try await scene.send(
                DeliveryScene.newID(), "\(number)", ["timeout": DeliveryScene.longTimeout, "pasteboard": .s("canary")])
            serials.append((write, request))
        }
        scene.broker.signal(SIGCONT)
        for (write, serial) in serials {
            let count = try await scene.peer.reply(write).body[0].number
            let request = try await scene.next()
            #expect(count != nil && request["change-count"]?.number == count)
            try await scene.answer(request)
            #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        }
    }

}
