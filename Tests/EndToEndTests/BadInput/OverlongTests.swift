import IPCTesting
import Testing

/// Every value is rejected if it is one unit longer than allowed, and accepted at the maximum length.
@Suite(.privateBus) struct OverlongTests {
    private static let mebibyte = 1 << 20

    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static let url = WireValue.repeated("x", mebibyte - 13 + 1, before: "handler.demo:")

    private static let urls: [BadCall] = [
        BadCall("1 MiB + 1", WireCall("URLs1", "OpenURL", [url, .none]), "InvalidURL", naming: "1048577", "1048576"),
        BadCall("1 MiB + 1", WireCall("Schemes1", "CanOpenURL", [url, .none]), "InvalidURL", naming: "1048577"),
        BadCall("1 MiB + 1", WireCall("Schemes1", "ResolveURL", [url, .none]), "InvalidURL", naming: "1048577"),
        BadCall(
            "350,000 × 3 bytes",
            WireCall("URLs1", "OpenURL", [.repeated("日", 350_000, before: "handler.demo:"), .none]),
            "InvalidURL", naming: "1050013"),
        BadCall("scheme of 256", .openURL(text(256) + ":x"), "InvalidURL", naming: "256", "255"),
        BadCall(
            "scheme of 1 MiB", WireCall("URLs1", "OpenURL", [.repeated("a", mebibyte), .none]), "InvalidURL",
            naming: "scheme"),
    ]

    private static let schemes: [BadCall] = [
        BadCall("scheme of 256", .register("demo.Handler", [text(256)]), "InvalidName", naming: "256", "255"),
        BadCall("scheme of 256", .unregister("demo.Handler", [text(256)]), "InvalidName", naming: "256"),
        BadCall("scheme of 256", .setDefault(text(256), "demo.Handler"), "InvalidName", naming: "256"),
        BadCall("scheme of 256", .listHandlers(text(256)), "InvalidName", naming: "256"),
        BadCall(
            "1,025 schemes",
            .register("demo.Many", (0...1024).map { "scheme-\($0)" }, ["persistent": .b(true)]), "LimitExceeded",
            naming: "schemes-per-application", "1024"),
        BadCall(
            "window 1,025", .register("demo.Handler", ["a"], ["window": .u(1025), "persistent": .b(true)]),
            "LimitExceeded",
            naming: "window-most", "1025", "1024"),
    ]

    private static let applications: [BadCall] = [
        BadCall("application of 256", .register("demo." + text(251), ["a"]), "InvalidName", naming: "application"),
        BadCall("application of 256", .setDefault("a", "demo." + text(251)), "InvalidName", naming: "application"),
        BadCall(
            "application of 256", .openURL("handler.demo:", ["application": .s("demo." + text(251))]), "InvalidName",
            naming: "application"),
        BadCall(
            "source of 256", .setItems(.item("x"), ["source-application": .s("demo." + text(251))]), "InvalidName",
            naming: "application"),
    ]

    private static let pasteboards: [BadCall] = [
        BadCall("name of 256", .getPasteboard(text(256)), "InvalidName", naming: "256", "255"),
        BadCall(
            "name of 128 × 2 bytes", .getPasteboard(String(repeating: "ä", count: 128)), "InvalidName", naming: "256"),
        BadCall("name of 256", .removePasteboard(text(256)), "InvalidName", naming: "256"),
        BadCall("name of 256", .waitForChange([text(256)], since: 0), "InvalidName", naming: "256"),
        BadCall("after of 256", .listPasteboards(["after": .s(text(256))]), "InvalidName", naming: "256"),
        BadCall(
            "1,001 rows", .listPasteboards(["limit": .u(1001)]), "InvalidArguments", naming: "limit", "1000", "1001"),
        BadCall("no rows", .listPasteboards(["limit": .u(0)]), "InvalidArguments", naming: "limit", "1000"),
        BadCall("1,001 rows", .listHandlers("", ["limit": .u(1001)]), "InvalidArguments", naming: "limit", "1000"),
        BadCall(
            "history of 101",
            .properties("Set", [.s("org.swiftipc.Pasteboard1"), .s("HistoryLimit"), .v(.u(101))]), "InvalidArguments",
            naming: "HistoryLimit", "100", "101"),
        BadCall(
            "name of 256",
            .openURL("handler.demo:", ["items": .item("x"), "pasteboard": .s(text(256))]), "InvalidName", naming: "256"),
    ]

    private static let type = "text/" + text(251)
    private static let tooMuch = WireValue.items([[("text/plain", .repeated("x", 16 * mebibyte + 1))]])
    private static let tooMany = WireValue.copies(.array("(sv)", [.structure(.s("a/b"), .v(.s("")))]), 16_385)

    private static let content: [BadCall] = [
        BadCall("type of 256", .setItems(.item("x", type)), "InvalidArguments", naming: "256", "255"),
        BadCall("type of 256", .getData(0, type), "InvalidArguments", naming: "256"),
        BadCall("type of 256", .getItems(["types": .strings([type])]), "InvalidArguments", naming: "256"),
        BadCall(
            "16 MiB + 1", .setItems(tooMuch), "LimitExceeded", naming: "inline-message-bytes", "16777217", "16777216"),
        BadCall("16 MiB + 1", .addItems(tooMuch), "LimitExceeded", naming: "inline-message-bytes"),
        BadCall(
            "16 MiB of values that are too small for descriptors, with what is there",
            .addItems(
                .items([(0..<256).map { ("a/b\($0)", .repeated("x", $0 == 0 ? 65_533 : 65_536)) }])),
            "LimitExceeded", naming: "inline-message-bytes"),
        BadCall(
            "16 MiB + 1 of bytes",
            .openURL("handler.demo:", ["items": .items([[("a/b", .repeated("x", 16 * mebibyte + 1, "ay"))]])]),
            "LimitExceeded", naming: "inline-message-bytes"),
        BadCall("16,385 items", .setItems(tooMany), "LimitExceeded", naming: "items-per-version", "16385", "16384"),
        BadCall(
            "16,385 representations",
            .setItems(.items([(0..<16_385).map { ("a/b\($0)", .s("")) }])), "LimitExceeded",
            naming: "representations-per-version", "16385"),
        BadCall(
            "annotation of 16 KiB + 1", .openURL("handler.demo:", ["annotation": .repeated("x", 16_385)]),
            "LimitExceeded",
            naming: "annotation-bytes", "16384"),
        BadCall(
            "annotation of 16 KiB as marshalled", .openURL("handler.demo:", ["annotation": .repeated("x", 16_381)]),
            "LimitExceeded", naming: "annotation-bytes"),
        BadCall(
            "annotation of many bytes", .openURL("handler.demo:", ["annotation": .copies(.y(7), 20_000)]),
            "LimitExceeded",
            naming: "annotation-bytes"),
        BadCall(
            "annotation of many small strings", .openURL("handler.demo:", ["annotation": .copies(.s(""), 2_049)]),
            "LimitExceeded", naming: "annotation-bytes"),
        BadCall("id of 65", .setItems(.item("x"), ["id": .s(text(65))]), "InvalidArguments", naming: "65", "64"),
    ]

    @Test func `I23: input just over a limit is rejected, and the error names the limit`() async throws {
        try await BadCall.expectRefused(
            Self.urls + Self.schemes + Self.applications + Self.pasteboards + Self.content, rounds: 4)
    }

    @Test func `input of exactly the maximum length is accepted`() async throws {
        let scene = try await BadInputScene.start()
        let url = WireValue.repeated("x", Self.mebibyte - 13, before: "handler.demo:")
        try await scene.succeed(WireCall("Schemes1", "CanOpenURL", [url, .none]))
        try await scene.succeed(.register("demo." + Self.text(250), [Self.text(255)], ["persistent": .b(true)]))
        try await scene.succeed(.getPasteboard(Self.text(255)))
        try await scene.succeed(.setItems(.items([[("text/plain", .repeated("x", 16 * Self.mebibyte))]])))
        try await scene.succeed(.setItems(.copies(.array("(sv)", [.structure(.s("a/b"), .v(.s("")))]), 16_384)))
        try await scene.succeed(.setItems(.item("x", "text/" + Self.text(250)), ["id": .s(Self.text(64))]))
        try await scene.succeed(.listPasteboards(["limit": .u(1000)]))
        try await scene.succeed(.properties("Set", [.s("org.swiftipc.Pasteboard1"), .s("HistoryLimit"), .v(.u(100))]))
        let opening = try await scene.peer.send(.openURL("handler.demo:", ["annotation": .repeated("x", 16_376)]))
        let call = try await scene.peer.nextCall("OpenURL", on: "handler")
        try await scene.peer.answer(call, [.s("handled"), .none], on: "handler")
        #expect(try await scene.peer.reply(opening)["outcome"]?.text == "handled")
    }
}
