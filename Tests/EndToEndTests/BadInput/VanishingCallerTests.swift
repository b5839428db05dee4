import IPCTesting
import Testing

/// A caller on the connection `leaver`, and how it leaves.
struct VanishingCaller: Sendable {
    let name: String
    let leave: @Sendable (BadInputScene) async throws -> Void

    init(_ name: String, _ leave: @escaping @Sendable (BadInputScene) async throws -> Void) {
        self.name = name
        self.leave = leave
    }

    /// A caller that opens a connection, does some `work` and leaves. When `after` runs, the bus has already told the
    /// broker that the caller left.
    static func greeted(
        _ name: String, _ work: @escaping @Sendable (BadInputScene) async throws -> Void,
        after: @escaping @Sendable (BadInputScene) async throws -> Void = { _ in }
    ) -> VanishingCaller {
        VanishingCaller(name) { scene in
            let unique = try await scene.peer.open("leaver")
            try await work(scene)
            try await scene.peer.close("leaver")
            try await scene.waitForEnd(of: unique)
            try await after(scene)
        }
    }

    /// A caller that leaves while the handler works on its request; the handler then finishes the request.
    static func delivered(_ name: String, flags: Int = 0) -> VanishingCaller {
        VanishingCaller(name) { scene in
            let unique = try await scene.peer.open("leaver")
            _ = try await scene.peer.send(.openURL("handler.demo:a"), on: "leaver", flags: flags)
            let call = try await scene.peer.nextCall("OpenURL", on: "handler")
            try await scene.peer.close("leaver")
            try await scene.waitForEnd(of: unique)
            try await scene.peer.answer(call, [.s("handled"), .none], on: "handler")
        }
    }

    /// A caller that sends calls, waits until the broker has started to process them, and leaves without reading the
    /// answers.
    /// - Parameter first: a call that is answered before the others. From then on, the broker knows the caller's
    ///   sandbox. The bus cannot describe a caller that has left, so without `first` the calls get least privilege
    ///   (I19).
    static func sending(
        _ name: String, answered first: WireCall? = nil, _ calls: [WireCall],
        after: @escaping @Sendable (BadInputScene) async throws -> Void = { _ in }
    ) -> VanishingCaller {
        greeted(
            name,
            { scene in
                if let first { try await scene.succeed(first, on: "leaver") }
                for call in calls { _ = try await scene.peer.send(call, on: "leaver") }
                try await scene.succeed(.describe(), on: "leaver")
            }, after: after)
    }
}

extension BadInputScene {
    /// Waits for the bus's signal that a connection is closed. The bus has sent the signal to the broker by then, too.
    fileprivate func waitForEnd(of unique: String) async throws {
        while true {
            let signal = try await peer.nextSignal("NameOwnerChanged", on: "witness")
            if signal.body.first?.text == unique, signal.body[2].text == "" { return }
        }
    }

    fileprivate func expectReason(_ reason: String) async throws {
        #expect(try await succeed(.resolveURL("leaver.demo:"))["reason"]?.text == reason)
    }
}

@Suite(.privateBus) struct VanishingCallerTests {
    private static let big = WireCall.setItems(.items([[("text/plain", .repeated("x", 1 << 20))]]))
    private static let temporary = "\(WireCall.broker)/pasteboards/temporary"

    /// An id that is new in each round, because the broker recognises a repeated id for minutes.
    private static func newID() -> String { "call-\(UInt64.random(in: 0 ... .max))-to-be-repeated" }

    private static let early: [VanishingCaller] = [
        VanishingCaller("before a word") { scene in
            try await scene.peer.open("leaver", until: .connect)
            try await scene.peer.close("leaver")
        },
        VanishingCaller("while it says who it is") { scene in
            try await scene.peer.open("leaver", until: .authenticating)
            try await scene.peer.close("leaver")
        },
        VanishingCaller("before Hello") { scene in
            try await scene.peer.open("leaver", until: .authenticated)
            try await scene.peer.close("leaver")
        },
        VanishingCaller("with a call before Hello") { scene in
            try await scene.peer.open("leaver", until: .authenticated)
            _ = try await scene.peer.send(.clear(), on: "leaver")
            try await scene.peer.waitForEnd(of: "leaver")
            try await scene.peer.close("leaver")
        },
        .greeted("after Hello", { _ in }),
        .greeted("with one byte of a message", { try await $0.peer.send([0x6C], on: "leaver") }),
        .greeted("with half a head", { try await $0.peer.send(0.05, of: .clear(), on: "leaver") }),
        .greeted("with a head and no body", { try await $0.peer.send(0.95, of: .clear(), on: "leaver") }),
        .greeted("with half a body", { try await $0.peer.send(0.5, of: big, on: "leaver") }),
        .greeted("with all but the end", { try await $0.peer.send(0.999999, of: big, on: "leaver") }),
        .greeted(
            "after bytes that are no message",
            { scene in
                try await scene.peer.send(Array("GET / HTTP/1.1\r\nHost: broker\r\n\r\n".utf8), on: "leaver")
                try await scene.peer.waitForEnd(of: "leaver")
            }),
        .greeted(
            "after a byte order that there is not",
            { scene in
                try await scene.peer.send([0x58] + [UInt8](repeating: 0, count: 63), on: "leaver")
                try await scene.peer.waitForEnd(of: "leaver")
            }),
    ]

    private static let asking: [VanishingCaller] = [
        .sending("while it waits for any change", [.waitForChange([], since: .max / 2, ["timeout": .u(.max)])]),
        .sending(
            "while it waits for a pasteboard", [.waitForChange(["none"], since: .max / 2, ["timeout": .u(3_600_000)])]),
        .sending(
            "while it waits a hundred times",
            Array(repeating: .waitForChange(["a", "b"], since: .max / 2, ["timeout": .u(3_600_000)]), count: 100)),
        .sending("with answers on their way", Array(repeating: .getItems(), count: 200)),
        .sending("with errors on their way", Array(repeating: .openURL("nobody.demo:"), count: 200)),
        .sending("with an introspection on its way", [WireCall("org.freedesktop.DBus.Introspectable", "Introspect")]),
        .sending("after a set that fails", [.setItems(.item("x"), ["if-change-count": .t(.max)])]),
        .sending("with pages on their way", [.listPasteboards(), .listHandlers(""), .resolveURL("handler.demo:")]),
    ]

    private static let writing: [VanishingCaller] = [
        .sending("after a pasteboard was made", [.getPasteboard("temporary")]) { scene in
            try await scene.succeed(.removePasteboard("temporary"))
        },
        VanishingCaller("after a set that can be repeated") { scene in
            let set = WireCall.setItems(.item("a"), ["id": .s(newID())], at: temporary)
            try await VanishingCaller.sending("", answered: .getPasteboard("temporary"), [set]).leave(scene)
            let count = try await scene.succeed(set).body.first
            #expect(try await scene.succeed(.getItems(at: temporary)).body.first == count)
            try await scene.succeed(.removePasteboard("temporary"))
        },
        VanishingCaller("after a take that can be repeated") { scene in
            let take = WireCall.getItems(["take": .b(true), "id": .s(newID())], at: temporary)
            let set = WireCall.setItems(.item("taken"), at: temporary)
            try await VanishingCaller.sending("", answered: .getPasteboard("temporary"), [set, take]).leave(scene)
            let again = try await scene.succeed(take)
            #expect(again.body[1][0]?[0]?[1]?.text == "taken")
            #expect(try await scene.succeed(.getItems(at: temporary)).body[1] == .array([]))
            try await scene.succeed(.removePasteboard("temporary"))
        },
        .sending(
            "after unique pasteboards were made",
            Array(repeating: WireCall("Pasteboards1", "CreateUniquePasteboard", [.none]), count: 5)
        ) { scene in
            var left = 5
            while left > 0 {
                let name = try await scene.peer.nextSignal("PasteboardRemoved", on: "witness").body.first?.text
                if name?.hasPrefix("unique-") == true { left -= 1 }
            }
        },
        .sending(
            "after a property was set",
            [
                .properties("Set", [.s("org.swiftipc.Pasteboard1"), .s("HistoryLimit"), .v(.u(1))])
            ]),
    ]

    private static let opening: [VanishingCaller] = [
        .delivered("after its request was delivered"), .delivered("after a request without a reply", flags: 1),
        VanishingCaller("while its request waits: the handler never sees it") { scene in
            let first = try await scene.peer.send(.openURL("handler.demo:first"))
            let call = try await scene.peer.nextCall("OpenURL", on: "handler")
            let unique = try await scene.peer.open("leaver")
            for _ in 0..<3 { _ = try await scene.peer.send(.openURL("handler.demo:never"), on: "leaver") }
            try await scene.succeed(.describe(), on: "leaver")
            try await scene.peer.close("leaver")
            try await scene.waitForEnd(of: unique)
            try await scene.succeed(.describe())
            try await scene.peer.answer(call, [.s("handled"), .none], on: "handler")
            #expect(try await scene.peer.reply(first)["outcome"]?.text == "handled")
            try await scene.succeed(.describe(), on: "handler")
            #expect(try await scene.peer.waitingCalls(on: "handler") == 0)
        },
        VanishingCaller("after a request with an id: who knows it gets the end") { scene in
            let unique = try await scene.peer.open("leaver")
            let request = WireCall.openURL("handler.demo:a", ["id": .s(newID())])
            _ = try await scene.peer.send(request, on: "leaver")
            let call = try await scene.peer.nextCall("OpenURL", on: "handler")
            try await scene.peer.close("leaver")
            try await scene.waitForEnd(of: unique)
            let asking = try await scene.peer.send(request)
            try await scene.peer.answer(call, [.s("declined"), .none], on: "handler")
            #expect(try await scene.peer.reply(asking)["outcome"]?.text == "declined")
            #expect(try await scene.succeed(request)["outcome"]?.text == "declined")
        },
        .sending("while its handler is started", [.openURL("handler.demo:a", ["application": .s("demo.Slow")])]),
        .greeted(
            "as a handler with a live claim",
            { scene in
                try await scene.succeed(.bus("RequestName", [.s("demo.Leaver"), .u(4)]), on: "leaver")
                try await scene.succeed(.register("demo.Leaver", ["leaver.demo"]), on: "leaver")
                try await scene.expectReason("oldest-live")
            }, after: { try await $0.expectReason("no-handler") }),
        .greeted(
            "as the owner of a name",
            { scene in
                try await scene.succeed(.bus("RequestName", [.s("demo.Leaver"), .u(4)]), on: "leaver")
            }),
        .greeted(
            "after half a registration",
            { scene in
                try await scene.succeed(.bus("RequestName", [.s("demo.Leaver"), .u(4)]), on: "leaver")
                try await scene.peer.send(0.9, of: .register("demo.Leaver", ["leaver.demo"]), on: "leaver")
            }, after: { try await $0.expectReason("no-handler") }),
    ]

    @Test func `I12, I17, I18: a caller that disappears at any point leaves nothing behind`() async throws {
        let rows = Self.early + Self.asking + Self.writing + Self.opening
        #expect(rows.count >= 20 && Set(rows.map(\.name)).count == rows.count)
        try await PrivateBus.current.addService(name: "demo.Slow", exec: "/bin/sleep 1000")
        let scene = try await BadInputScene.start()
        let rule = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"
        try await scene.succeed(.bus("AddMatch", [.s(rule)]))
        let removals = "type='signal',interface='org.swiftipc.Pasteboards1',member='PasteboardRemoved'"
        try await scene.succeed(.bus("AddMatch", [.s(removals)]))
        try await scene.runRounds {
            for row in rows {
                try await row.leave(scene)
                try await scene.expectIdle(row.name)
            }
        }
    }
}
