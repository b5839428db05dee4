import IPC
import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// I19: no decision relies on a program's own claims, on a signal that any program may send, or on a process ID.
@Suite(.privateBus)
struct AuthorityTests {
    private static let trusted = "demo.Trusted"

    private func open(_ options: KeyValuePairs<String, WireValue> = [:]) -> WireCall {
        DeliveryScene.open(DeliveryScene.newID(), "x", ["queue": .b(true)], options)
    }

    @Test func `I19: a claimed source matches no allow rule`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        try await scene.openHandler(persistent: true)
        try await scene.succeed(
            .setPolicy(DeliveryScene.application, ["default": .s("deny"), "allow": .strings([Self.trusted])]))
        let stated: KeyValuePairs<String, WireValue> = ["source-application": .s(Self.trusted)]
        try await scene.expectError("AccessDenied", of: open(stated), on: "caller")
        try await scene.expectError("AccessDenied", of: open(), on: "caller")
        #expect(try await scene.succeed(.canOpenURL(DeliveryScene.url(), stated), on: "caller").body[0].truth == false)
        // Nothing was accepted, written or delivered.
        #expect(try await scene.succeed(.listRequests()).body[0].elements == [])
        #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        #expect(scene.broker.log.contains(Self.trusted) && scene.broker.log.contains(DeliveryScene.application))
        // The allowed name must be owned by the caller itself; it does not help if another program owns it.
        try await scene.succeed(.bus("RequestName", [.s(Self.trusted), .u(4)]), on: "witness")
        try await scene.expectError("AccessDenied", of: open(stated), on: "caller")
        try await scene.succeed(open(stated), on: "witness")
        let request = try await scene.next()
        #expect(request["source-strength"]?.text == "owned" && request["source-application"]?.text == Self.trusted)
        try await scene.answer(request)
        // A caller that gives up the allowed name is rejected from then on, also by a restarted broker.
        try await scene.succeed(.bus("ReleaseName", [.s(Self.trusted)]), on: "witness")
        try await scene.expectError("AccessDenied", of: open(stated), on: "witness")
        try await scene.broker.restart()
        try await scene.expectError("AccessDenied", of: open(stated), on: "witness")
        let policy = try await scene.succeed(.getPolicy(DeliveryScene.application))
        #expect(policy["default"]?.text == "deny" && policy["allow"]?[0]?.text == Self.trusted, "\(policy)")
    }

    @Test func `I19: a claimed source is enough for a deny rule`() async throws {
        let scene = try await DeliveryScene.start()
        try await scene.succeed(.setPolicy(DeliveryScene.application, ["deny": .strings(["demo.Refused"])]))
        try await scene.expectError("AccessDenied", of: open(["source-application": .s("demo.Refused")]))
        try await scene.succeed(open(["source-application": .s("demo.Other")]))
        try await scene.succeed(open())
        // A removed policy rejects no caller.
        try await scene.succeed(.setPolicy(DeliveryScene.application, [:]))
        try await scene.succeed(open(["source-application": .s("demo.Refused")]))
        try await scene.expectError(
            "InvalidArguments", of: .setPolicy(DeliveryScene.application, ["default": .s("perhaps")]))
    }

    @Test func `I19: an answer from another connection has no effect`() async throws {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue()
        let request = try await scene.next()
        try await scene.answer(request, "declined", on: "witness")
        try await scene.peer.answer(request.call, [.s("x")], error: "org.freedesktop.DBus.Error.NoReply", on: "caller")
        for connection in ["witness", "caller"] { try await scene.succeed(.describe(), on: connection) }
        #expect(try await scene.facts(id)["state"]?.text == "delivered")
        try await scene.answer(request)
        #expect(try await scene.end(id)["outcome"]?.text == "handled")
    }

    @Test func `I19: forged bus signals have no effect on the broker`() async throws {
        let scene = try await DeliveryScene.start()
        let id = try await scene.queue()
        let request = try await scene.next()
        let broker = try #require(
            try await scene.succeed(.bus("GetNameOwner", [.s(BrokerProcess.busName)])).body[0].text)
        let handler = try #require(
            try await scene.succeed(.bus("GetNameOwner", [.s(DeliveryScene.application)])).body[0].text)
        // Forged signals, which say that the handler has left and that the forger now owns the handler's name.
        let caller = try await scene.peer.open("forger")
        for body in [[handler, handler, ""], [DeliveryScene.application, handler, caller]] {
            for destination in [broker, ""] {
                try await scene.peer.broadcast(
                    "org.freedesktop.DBus", "NameOwnerChanged", body.map { .s($0) }, at: "/org/freedesktop/DBus",
                    to: destination, on: "forger")
            }
        }
        try await scene.succeed(.describe(), on: "forger")
        #expect(try await scene.facts(id)["state"]?.text == "delivered")
        #expect(try await scene.peer.waitingCalls(on: "forger") == 0)
        try await scene.answer(request)
        #expect(try await scene.end(id)["attempts"]?.number == 1)
        let second = try await scene.queue("second")
        #expect(try await scene.next().id == second)
    }

    /// A handler that uses the library accepts calls only from the owner of the broker's name.
    @DBusActor
    @Test func `I19: a handler rejects a URL that is not from the broker`() async throws {
        let scene = try await DeliveryScene.start(handler: false)
        let application = try await Application.connect(
            id: "demo.Library", schemes: ["library.demo"], bus: .address(scene.bus.address))
        let forger = try await scene.peer.open("forger")
        let unique = try #require(try await scene.succeed(.bus("GetNameOwner", [.s("demo.Library")])).body[0].text)
        try await scene.peer.broadcast(
            "org.freedesktop.DBus", "NameOwnerChanged",
            [.s(BrokerProcess.busName), .s(""), .s(forger)], at: "/org/freedesktop/DBus", to: unique, on: "forger")
        var call = WireCall(
            "URLHandler1", "OpenURL", [.s(DeliveryScene.newID()), .s("library.demo:forged"), .none], at: "/demo/Library"
        )
        call.destination = "demo.Library"
        let answer = try await scene.peer.call(call, on: "forger")
        #expect(answer.error == "org.freedesktop.DBus.Error.AccessDenied", "\(answer)")
        let serial = try await scene.peer.send(.openURL("library.demo:true"))
        var requests = application.openURLs.makeAsyncIterator()
        let request = try #require(try await requests.next())
        #expect(request.url == "library.demo:true")
        try await request.finish(.handled)
        #expect(try await scene.peer.reply(serial)["outcome"]?.text == "handled")
        await application.close()
    }

    /// A session bus passes on answers to calls that their sender never got, and serial numbers can be guessed.
    @DBusActor
    @Test func `I19: an answer to the library that is not from the broker has no effect`() async throws {
        let scene = try await DeliveryScene.start()
        let application = try await Application.connect(
            id: "demo.Library", schemes: ["library.demo"], resends: false, bus: .address(scene.bus.address))
        let opening = DBusActor.task { try await application.open(DeliveryScene.url()) }
        let request = try await scene.next()
        let unique = try #require(try await scene.succeed(.bus("GetNameOwner", [.s("demo.Library")])).body[0].text)
        _ = try await scene.peer.open("forger")
        for serial in 1...100 {
            let outcome: KeyValuePairs<String, WireValue> = [
                "id": .s(request.id), "outcome": .s("handled"), "application": .s("x"), "attempts": .u(1),
            ]
            try await scene.peer.answer(.call(from: unique, serial: serial), [.options(outcome)], on: "forger")
        }
        try await scene.succeed(.describe(), on: "forger")
        try await scene.answer(request, "declined")
        #expect(try await opening.value.outcome == .declined)
        await application.close()
    }

    /// A sender that uses the library learns the outcome of a request only from the broker.
    @DBusActor
    @Test func `I19: an outcome that is not from the broker is ignored`() async throws {
        let scene = try await DeliveryScene.start()
        let application = try await Application.connect(
            id: "demo.Library", schemes: ["library.demo"], bus: .address(scene.bus.address))
        var ends = try await application.completions().makeAsyncIterator()
        let id = try await application.queue(DeliveryScene.url()).id
        let request = try await scene.next()
        let unique = try #require(try await scene.succeed(.bus("GetNameOwner", [.s("demo.Library")])).body[0].text)
        for destination in [unique, ""] {
            try await scene.peer.broadcast(
                "org.swiftipc.URLs1", "RequestCompleted", [.s(id.text), .s("failed")], at: WireCall.broker,
                to: destination,
                on: "witness")
        }
        try await scene.succeed(.describe())
        try await scene.answer(request)
        let end = await ends.next()
        #expect(end?.id == id && end?.outcome == .handled)
        await application.close()
    }

    @Test func `I19: a caller whose process is gone has no right that depends on its process`() async throws {
        let scene = try await DeliveryScene.start()
        try await scene.succeed(
            .setPolicy(DeliveryScene.application, ["default": .s("deny"), "allow": .strings([Self.trusted])]))
        try await scene.peer.open("orphan", orphaned: true)
        for call in [
            WireCall.setPolicy(DeliveryScene.application, ["default": .s("allow")]),
            .setDefault(DeliveryScene.scheme, "demo.Other"), open(),
            open(["source-application": .s(Self.trusted)]),
        ] { try await scene.expectError("AccessDenied", of: call, on: "orphan") }
        #expect(try await scene.succeed(.getPolicy(DeliveryScene.application))["default"]?.text == "deny")
        #expect(try await scene.succeed(.listRequests(), on: "orphan").body[0].elements == [])
        // The control: on a connection whose process is running, a request is queued and listed.
        try await scene.succeed(.setPolicy(DeliveryScene.application, ["default": .s("allow")]), on: "caller")
        let id = try await scene.queue()
        #expect(try await scene.succeed(.listRequests(), on: "caller").body[0].elements?.count == 1)
        #expect(try await scene.succeed(.listRequests(), on: "orphan").body[0].elements == [])
        // Only the list depends on the caller: any connection that knows a request's id can query the request.
        #expect(try await scene.succeed(.getRequest(id), on: "orphan")["id"]?.text == id)
    }
}
