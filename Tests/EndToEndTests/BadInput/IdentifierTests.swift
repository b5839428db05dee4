import IPCTesting
import Testing

@Suite(.privateBus) struct IdentifierTests {
    /// An id has 16 to 64 letters, digits and “-”.
    private static let bad = [
        "", "a", "0123456789abcde", String(repeating: "a", count: 65), String(repeating: "a", count: 1000),
        "0123456789abcde_", "0123456789abcde.", "0123456789abcde ", " 0123456789abcdef", "0123456789abcde/",
        "../../../etc/passwd", "0123456789abcde\n", "0123456789abcde\u{1B}", "0123456789abcdé", "０１２３４５６７８９ａｂｃｄｅｆ",
        "{0123456789abcdef}", "0123456789abcde'", "0123456789abcde\"", "0123456789abcde;", "%30%31%32%33%34%35",
        "0123456789abcde\u{200D}", "'; DROP TABLE request; --", "0123456789abcdef+", "0123456789abcdef=",
        "urn:uuid:01234567-89ab-4def-8123-456789abcdef",
    ]

    private static let rows: [BadCall] = bad.flatMap { (id: String) -> [BadCall] in
        let calls: [(String, WireCall)] = [
            ("of a request", .openURL("handler.demo:", ["id": .s(id)])),
            (
                "of a request with a payload",
                .openURL("handler.demo:", ["id": .s(id), "items": .item("x"), "pasteboard": .s("canary")])
            ),
            ("of a set", .setItems(.item("x"), ["id": .s(id)])),
            ("of an addition", .addItems(.item("x"), ["id": .s(id)])),
            ("of a clearing", .clear(["id": .s(id)])), ("of a take", .getItems(["take": .b(true), "id": .s(id)])),
        ]
        return calls.map { BadCall("“\(id)” \($0.0)", $0.1, "InvalidArguments", naming: "the id “") }
    }

    @Test func `I23: a malformed id is InvalidArguments`() async throws {
        try await BadCall.expectRefused(Self.rows)
    }

    /// Calls that reuse the id of an earlier call, but differ from that call in one respect each.
    private static func reused(_ id: String, _ text: String) -> [(String, WireCall)] {
        let board = "\(WireCall.broker)/pasteboards/other"
        return [
            ("another text", .setItems(.item("y"), ["id": .s(id)])),
            ("another type", .setItems(.item(text, "text/html"), ["id": .s(id)])),
            ("no item", .setItems(.items([]), ["id": .s(id)])),
            (
                "two items",
                .setItems(.items([[("text/plain;charset=utf-8", .s(text))], [("a/b", .s(""))]]), ["id": .s(id)])
            ),
            (
                "one representation more",
                .setItems(.items([[("text/plain;charset=utf-8", .s(text)), ("a/b", .s(""))]]), ["id": .s(id)])
            ),
            (
                "bytes for a text",
                .setItems(.items([[("text/plain;charset=utf-8", .repeated(text, 1, "ay"))]]), ["id": .s(id)])
            ),
            ("another count", .setItems(.item(text), ["id": .s(id), "if-change-count": .t(1)])),
            ("another board", .setItems(.item(text), ["id": .s(id)], at: board)),
            ("an addition", .addItems(.item(text), ["id": .s(id)])), ("a clearing", .clear(["id": .s(id)])),
            ("a take", .getItems(["take": .b(true), "id": .s(id)])),
        ]
    }

    @Test func `I10: the id of another call is InvalidArguments, and has no effect`() async throws {
        let scene = try await BadInputScene.start()
        try await scene.succeed(.getPasteboard("other"))
        let id = "first-call-of-a-set"
        let set = WireCall.setItems(.item("canary"), ["id": .s(id)])
        let count = try await scene.succeed(set).body
        let rows = Self.reused(id, "canary")
        try await scene.runRounds {
            for (name, call) in rows {
                let answer = try await scene.peer.call(call)
                #expect(answer.error == "org.swiftipc.Error.InvalidArguments", "\(name): \(answer)")
                #expect(answer.text.contains("“\(id)”"), "\(name): \(answer)")
            }
            #expect(try await scene.succeed(set).body == count)
        }
    }

    @Test func `I10: the id of another request is InvalidArguments, and the handler is not called again`() async throws
    {
        let scene = try await BadInputScene.start()
        let id = "first-call-of-a-request"
        let request = WireCall.openURL("handler.demo:a", ["id": .s(id), "items": .item("x"), "timeout": .u(20_000)])
        let opening = try await scene.peer.send(request)
        let call = try await scene.peer.nextCall("OpenURL", on: "handler")
        let whileItRuns = try await scene.peer.send(request, on: "witness")
        let rows: [(String, WireCall)] = [
            ("another URL", .openURL("handler.demo:b", ["id": .s(id), "items": .item("x"), "timeout": .u(20_000)])),
            ("another letter", .openURL("Handler.demo:a", ["id": .s(id), "items": .item("x"), "timeout": .u(20_000)])),
            ("another item", .openURL("handler.demo:a", ["id": .s(id), "items": .item("y"), "timeout": .u(20_000)])),
            (
                "another type",
                .openURL("handler.demo:a", ["id": .s(id), "items": .item("x", "a/b"), "timeout": .u(20_000)])
            ),
            ("no items", .openURL("handler.demo:a", ["id": .s(id), "timeout": .u(20_000)])),
            ("another time", .openURL("handler.demo:a", ["id": .s(id), "items": .item("x"), "timeout": .u(20_001)])),
            ("no time", .openURL("handler.demo:a", ["id": .s(id), "items": .item("x")])),
            (
                "a board",
                .openURL(
                    "handler.demo:a",
                    ["id": .s(id), "items": .item("x"), "timeout": .u(20_000), "pasteboard": .s("canary")])
            ),
            (
                "an annotation",
                .openURL(
                    "handler.demo:a", ["id": .s(id), "items": .item("x"), "timeout": .u(20_000), "annotation": .s("x")])
            ),
            (
                "a source",
                .openURL(
                    "handler.demo:a",
                    ["id": .s(id), "items": .item("x"), "timeout": .u(20_000), "source-application": .s("a.b")])
            ),
            (
                "a handler",
                .openURL(
                    "handler.demo:a",
                    ["id": .s(id), "items": .item("x"), "timeout": .u(20_000), "application": .s("demo.Handler")])
            ),
        ]
        @Sendable func expectRefused(_ when: String) async throws {
            for (name, other) in rows {
                let answer = try await scene.peer.call(other)
                #expect(answer.error == "org.swiftipc.Error.InvalidArguments", "\(name), \(when): \(answer)")
                #expect(answer.text.contains("“\(id)”"), "\(name), \(when): \(answer)")
            }
        }
        try await expectRefused("while it runs")
        try await scene.peer.answer(call, [.s("handled"), .none], on: "handler")
        #expect(try await scene.peer.reply(opening)["outcome"]?.text == "handled")
        #expect(try await scene.peer.reply(whileItRuns, on: "witness")["outcome"]?.text == "handled")
        try await scene.runRounds {
            try await expectRefused("after its end")
            #expect(try await scene.succeed(request)["outcome"]?.text == "handled")
        }
    }
}
