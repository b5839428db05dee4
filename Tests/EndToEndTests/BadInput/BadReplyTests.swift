import IPCTesting
import Testing

/// A handler's wrong reaction to a request, and the error that the sender must get.
struct BadReply: Sendable {
    let name: String
    let outcome: String
    var code: String?
    var errorName: String?
    var naming = ""
    var options: KeyValuePairs<String, WireValue> = [:]
    let act: @Sendable (BadInputScene, WireMessage) async throws -> Void

    /// An answer of the wrong shape.
    init(_ name: String, _ body: [WireValue], naming word: String = "") {
        self.name = name
        outcome = "failed"
        code = "bad-reply"
        naming = word
        act = { scene, call in try await scene.peer.answer(call, body, on: "handler") }
    }

    /// A D-Bus error as the answer.
    init(error: String, _ body: [WireValue], naming word: String = "") {
        name = "\(error) \(body.map(\.signature))"
        outcome = "failed"
        errorName = error
        naming = word
        act = { scene, call in try await scene.peer.answer(call, body, error: error, on: "handler") }
    }

    /// Any other misbehaviour.
    init(
        _ name: String, _ outcome: String, code: String? = nil, errorName: String? = nil, naming word: String = "",
        _ options: KeyValuePairs<String, WireValue> = [:],
        _ act: @escaping @Sendable (BadInputScene, WireMessage) async throws -> Void
    ) {
        self.name = name
        self.outcome = outcome
        self.code = code
        self.errorName = errorName
        naming = word
        self.options = options
        self.act = act
    }
}

@Suite(.privateBus) struct BadReplyTests {
    private static let handled = WireValue.s("handled")

    private static let shapes: [BadReply] = [
        BadReply("no arguments", []), BadReply("the outcome alone", [handled]),
        BadReply("two texts", [handled, .s("x")]),
        BadReply("the wrong way round", [.none, handled]), BadReply("one more", [handled, .none, .s("x")]),
        BadReply("one more dictionary", [handled, .none, .none]), BadReply("a number", [.u(0), .none]),
        BadReply("a Boolean", [.b(true), .none]), BadReply("bytes", [.repeated("handled", 1, "ay"), .none]),
        BadReply("a variant", [.v(handled), .none]), BadReply("a dictionary of texts", [handled, .array("{ss}", [])]),
        BadReply("an array of pairs", [handled, .array("(sv)", [])]),
        BadReply("a structure", [.structure(handled, .none)]),
        BadReply("a path", [.o("/handled"), .none]), BadReply("a list of outcomes", [.strings(["handled"]), .none]),
    ]

    private static let words: [BadReply] = [
        "", "done", "ok", "Handled", "HANDLED", "handled ", " handled", "handled\n", "success", "true", "0", "日本語",
        "delivered", "unavailable", "timed-out", "expired", "queued",
    ].map { BadReply("the word “\($0)”", [.s($0), .none], naming: "outcome") }

    private static func reply(_ options: KeyValuePairs<String, WireValue>) -> [WireValue] {
        [handled, .options(options)]
    }

    private static let contents: [BadReply] = [
        BadReply("items as a text", reply(["items": .s("x")]), naming: "“items”"),
        BadReply("items as texts", reply(["items": .strings(["x"])]), naming: "“items”"),
        BadReply("one item", reply(["items": .array("(sv)", [])]), naming: "“items”"),
        BadReply("an item with a number", reply(["items": .items([[("a/b", .u(1))]])]), naming: "“u”"),
        BadReply("an empty item", reply(["items": .items([[]])]), naming: "representation"),
        BadReply("a type twice", reply(["items": .items([[("a/b", .s("")), ("A/B", .s(""))]])]), naming: "twice"),
        BadReply("an empty type", reply(["items": .item("x", "")]), naming: "type"),
        BadReply("items twice", reply(["items": .item("x"), "items": .item("y")]), naming: "“items”"),
        BadReply("error-code as a number", reply(["error-code": .u(1)]), naming: "“error-code”"),
        BadReply(
            "error-message as bytes", reply(["error-message": .repeated("x", 1, "ay")]), naming: "“error-message”"),
    ]

    /// Replies that are too large to pass on. The outcome is still `handled`, because the handler has done the work.
    private static let tooLarge: [BadReply] = [
        BadReply("16 MiB + 1", "handled", code: "reply-too-large", naming: "inline-message-bytes") { scene, call in
            let items = WireValue.items([[("a/b", .repeated("x", (16 << 20) + 1, "ay"))]])
            try await scene.peer.answer(call, reply(["items": items]), on: "handler")
        },
        BadReply("16,385 items", "handled", code: "reply-too-large", naming: "items-per-version") { scene, call in
            let items = WireValue.copies(.array("(sv)", [.structure(.s("a/b"), .v(.s("")))]), 16_385)
            try await scene.peer.answer(call, reply(["items": items]), on: "handler")
        },
    ]

    private static let errors: [BadReply] = [
        BadReply(error: "demo.Error.Broken", [.s("it broke")], naming: "it broke"),
        BadReply(error: "demo.Error.Broken", []), BadReply(error: "demo.Error.Broken", [.u(1)]),
        BadReply(error: "demo.Error.Broken", [.none, .s("x")]),
        BadReply(error: "org.freedesktop.DBus.Error.Failed", [.s("x")], naming: "x"),
        BadReply(error: "org.freedesktop.DBus.Error.UnknownMethod", [.s("what?")], naming: "what?"),
        BadReply(error: "org.freedesktop.DBus.Error.AccessDenied", [.s("no")], naming: "no"),
        // The error that the bus returns for a receiver that has left, but sent by the handler itself.
        BadReply(error: "org.freedesktop.DBus.Error.ServiceUnknown", [.s("I am not here")], naming: "I am not here"),
        BadReply(error: "org.freedesktop.DBus.Error.NameHasNoOwner", [.s("nor am I")], naming: "nor am I"),
        BadReply(error: "org.freedesktop.DBus.Error.NoReply", [.s("never")]),
        BadReply(error: "org.swiftipc.Error.NoHandler", [.s("x")], naming: "x"),
        BadReply(error: "org.swiftipc.Error.InvalidArguments", [.s("x")], naming: "x"),
    ]

    private static let behaviour: [BadReply] = [
        BadReply("it ends", "failed", code: "handler-ended") { scene, _ in
            try await scene.peer.close("handler")
            try await scene.openHandler()
        },
        BadReply("it ends within its answer", "failed", code: "handler-ended") { scene, call in
            try await scene.peer.send([UInt8](repeating: 0x6C, count: 1) + [2, 1, 1, 16, 0, 0, 0], on: "handler")
            try await scene.peer.close("handler")
            try await scene.openHandler()
        },
        BadReply("it is thrown off for a NUL", "failed", code: "handler-ended") { scene, call in
            try await scene.peer.answer(call, [.rawText(Array("hand\0led".utf8)), .none], on: "handler")
            try await scene.peer.waitForEnd(of: "handler")
            try await scene.peer.close("handler")
            try await scene.openHandler()
        },
        BadReply("it is thrown off for a text that is not UTF-8", "failed", code: "handler-ended") { scene, call in
            try await scene.peer.answer(call, [.rawText([0xFF]), .none], on: "handler")
            try await scene.peer.waitForEnd(of: "handler")
            try await scene.peer.close("handler")
            try await scene.openHandler()
        },
        BadReply("it does not answer", "timed-out", ["timeout": .u(50)]) { scene, call in
            let cancel = try await scene.peer.nextCall("CancelURL", on: "handler")
            #expect(cancel.body == [call.body[0]])
        },
        BadReply("it answers too late", "timed-out", ["timeout": .u(50)]) { scene, call in
            _ = try await scene.peer.nextCall("CancelURL", on: "handler")
            try await scene.peer.answer(call, [handled, .none], on: "handler")
        },
        BadReply("it answers twice", "declined") { scene, call in
            try await scene.peer.answer(call, [.s("declined"), .none], on: "handler")
            try await scene.peer.answer(call, [handled, .none], on: "handler")
        },
        BadReply("somebody else answers first", "declined") { scene, call in
            try await scene.peer.answer(call, [handled, .none], on: "witness")
            try await scene.succeed(.describe(), on: "witness")
            try await scene.peer.answer(call, [.s("declined"), .none], on: "handler")
        },
        BadReply("somebody else answers with an error first", "declined") { scene, call in
            try await scene.peer.answer(call, [.s("x")], error: "demo.Error.Broken", on: "witness")
            try await scene.succeed(.describe(), on: "witness")
            try await scene.peer.answer(call, [.s("declined"), .none], on: "handler")
        },
        BadReply("it tells keys that nobody knows", "handled") { scene, call in
            let reply = WireValue.options(["colour": .s("red"), "x": .array("{sv}", []), "error": .none])
            try await scene.peer.answer(call, [handled, reply], on: "handler")
        },
        BadReply("it gives its name back and answers", "handled") { scene, call in
            try await scene.succeed(.bus("ReleaseName", [.s(BadInputScene.application)]), on: "handler")
            try await scene.peer.answer(call, [handled, .none], on: "handler")
            try await scene.peer.close("handler")
            try await scene.openHandler()
        },
    ]

    @Test func `I6, I18, I19: the sender gets exactly one outcome for any answer of the handler`() async throws {
        let rows = Self.shapes + Self.words + Self.contents + Self.tooLarge + Self.errors + Self.behaviour
        #expect(rows.count >= 20 && Set(rows.map(\.name)).count == rows.count)
        let scene = try await BadInputScene.start()
        try await scene.runRounds(3) {
            for row in rows { try await expectEnd(of: row, in: scene) }
        }
    }

    private func expectEnd(of row: BadReply, in scene: BadInputScene) async throws {
        let opening = try await scene.peer.send(.openURL("handler.demo:x", row.options))
        let call = try await scene.peer.nextCall("OpenURL", on: "handler")
        #expect(call.body[1].text == "handler.demo:x")
        try await row.act(scene, call)
        let result = try await scene.peer.reply(opening)
        #expect(result["outcome"]?.text == row.outcome, "\(row.name): \(result)")
        #expect(result["id"] == call.body[0], "\(row.name)")
        if let code = row.code { #expect(result["error-code"]?.text == code, "\(row.name): \(result)") }
        if let name = row.errorName { #expect(result["error-name"]?.text == name, "\(row.name): \(result)") }
        let message = result["error-message"]?.text ?? ""
        #expect(message.contains(row.naming), "\(row.name): \(result)")
        if row.outcome == "failed", row.errorName == nil { #expect(!message.isEmpty, "\(row.name)") }
    }
}
