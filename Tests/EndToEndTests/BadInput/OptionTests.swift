import IPCTesting
import Testing

/// Ignoring an option would silently break a promise, so every unknown or ill-typed option is rejected by name.
@Suite(.privateBus) struct OptionTests {
    /// Every method that accepts options, with the given options.
    private static func calls(_ options: KeyValuePairs<String, WireValue>) -> [WireCall] {
        let dictionary = WireValue.options(options)
        return [
            .openURL("handler.demo:", options), WireCall("Schemes1", "CanOpenURL", [.s("handler.demo:"), dictionary]),
            WireCall("Schemes1", "ResolveURL", [.s("handler.demo:"), dictionary]),
            .register("demo.Stored", ["a"], options), .listHandlers("", options),
            .listDefaults(options), .listPolicies(options),
            WireCall("Schemes1", "Unregister", [.s("demo.Handler"), .strings([]), dictionary]),
            WireCall("Schemes1", "SetDefault", [.s("handler.demo"), .s("demo.Handler"), dictionary]),
            WireCall("Pasteboards1", "GetPasteboard", [.s("new"), dictionary]),
            WireCall("Pasteboards1", "CreateUniquePasteboard", [dictionary]),
            WireCall("Pasteboards1", "RemovePasteboard", [.s("canary"), dictionary]), .listPasteboards(options),
            .waitForChange([], since: 0, options), WireCall("Broker1", "Describe", [dictionary]),
            .setItems(.item("x"), options), .addItems(.item("x"), options), .clear(options), .getItems(options),
            WireCall(
                "Pasteboard1", "GetData", [.u(0), .s("text/plain;charset=utf-8"), dictionary], at: WireCall.board),
            WireCall("Pasteboard1", "ListVersions", [dictionary], at: WireCall.board),
            WireCall("Pasteboards1", "FetchPromises", [dictionary]),
            WireCall("Pasteboards1", "SkipChangeCounts", [.t(0), dictionary]),
        ]
    }

    private static let unknown: [BadCall] = ["no-such-option", "Sensitive", "Id", ""].flatMap { key in
        calls([key: .b(true)]).map { BadCall("“\(key)”", $0, "InvalidArguments", naming: "“\(key)”") }
    }

    /// A row for each option with values of the wrong type.
    private static func illTyped(
        _ key: String, _ values: [WireValue], _ call: (KeyValuePairs<String, WireValue>) -> WireCall
    ) -> [BadCall] {
        values.map { value in
            BadCall("\(key) as \(value.signature)", call([key: value]), "InvalidArguments", naming: "“\(key)”")
        }
    }

    private static let ofURLs: [BadCall] = {
        let open = { (options: KeyValuePairs<String, WireValue>) in WireCall.openURL("handler.demo:", options) }
        let rows: [[BadCall]] = [
            illTyped("id", [.u(1), .strings(["x"]), .v(.s("0123456789abcdef"))], open),
            illTyped("application", [.u(1), .o("/a")], open),
            illTyped("items", [.s("x"), .strings([]), .array("(sv)", []), .array("a(ss)", []), .none], open),
            illTyped("pasteboard", [.u(1), .o("/a")], open),
            illTyped("change-count", [.x(-1), .b(true), .s("1"), .d(1)], open),
            illTyped("set", [.s("x"), .b(true), .array("{ss}", [])], open),
            illTyped("timeout", [.t(1 << 32), .i(-1), .s("1"), .d(1)], open),
            illTyped("source-application", [.u(1), .o("/a")], open),
        ]
        return rows.flatMap(\.self)
    }()

    private static let ofSchemes: [BadCall] = {
        let register = { WireCall.register("demo.Stored", ["a"], $0) }
        let list = { WireCall.listHandlers("", $0) }
        let rows: [[BadCall]] = [
            illTyped("persistent", [.u(1), .s("true"), .y(1)], register),
            illTyped("window", [.i(-1), .t(1 << 32), .s("1")], register),
            illTyped("allow-reserved", [.u(1), .s("true")], register),
            illTyped("after", [.u(1), .o("/a")], WireCall.listDefaults),
            illTyped("limit", [.s("1")], WireCall.listPolicies),
            illTyped("after", [.u(1), .o("/a")], list), illTyped("limit", [.i(-1), .t(1 << 32), .s("1")], list),
        ]
        return rows.flatMap(\.self)
    }()

    private static let ofPasteboards: [BadCall] = {
        let get = { WireCall("Pasteboards1", "GetPasteboard", [.s("new"), .options($0)]) }
        let list = { WireCall.listPasteboards($0) }
        let rows: [[BadCall]] = [
            illTyped("create", [.u(1), .s("true")], get), illTyped("persistent", [.u(1), .s("true")], get),
            illTyped("after", [.u(1)], list), illTyped("limit", [.x(-1), .t(1 << 32)], list),
            illTyped("prefix", [.u(1), .strings([])], list),
            illTyped("timeout", [.t(1 << 32), .i(-1), .s("1")]) { .waitForChange([], since: 0, $0) },
            illTyped("if-change-count", [.i(-1), .x(-1), .s("1")]) { .setItems(.item("x"), $0) },
            illTyped("if-change-count", [.i(-1)]) { .clear($0) },
            illTyped("id", [.u(1)]) { .addItems(.item("x"), $0) },
            illTyped("source-application", [.u(1), .o("/a")]) { .setItems(.item("x"), $0) },
            illTyped("types", [.s("text/plain"), .array("as", [])]) { .getItems($0) },
            illTyped("change-count", [.x(-1), .s("1")]) { .getItems($0) },
            illTyped("take", [.u(1), .s("true")]) { .getItems($0) },
            illTyped("id", [.t(1)]) { .getItems($0) },
            illTyped("fd", [.u(1), .s("true")]) { .getItems($0) },
            illTyped("time-to-live", [.d(1), .x(-1), .s("1")]) { .setItems(.item("x"), $0) },
            illTyped("sensitive", [.u(1), .s("true")]) { .setItems(.item("x"), $0) },
            illTyped("once", [.u(1), .s("true")]) { .addItems(.item("x"), $0) },
            illTyped("promises", [.s("text/html"), .strings(["text/html"])]) { .setItems(.item("x"), $0) },
            // `Clear` writes no content to which these options could apply.
            illTyped("sensitive", [.b(true)]) { .clear($0) }, illTyped("once", [.b(true)]) { .clear($0) },
            illTyped("time-to-live", [.t(1)]) { .clear($0) },
        ]
        return rows.flatMap(\.self)
    }()

    private static let inSet: [BadCall] = {
        func set(_ options: WireValue) -> WireCall {
            .openURL("handler.demo:", ["items": .item("x"), "pasteboard": .s("canary"), "set": options])
        }
        return [
            BadCall(
                "unknown in set", set(.options(["force": .b(true)])), "InvalidArguments", naming: "“force”", "“set”"),
            BadCall("create as u", set(.options(["create": .u(1)])), "InvalidArguments", naming: "“create”", "“set”"),
            BadCall(
                "if-change-count as s", set(.options(["if-change-count": .s("1")])), "InvalidArguments",
                naming: "“if-change-count”"),
            BadCall(
                "persistent as s", set(.options(["persistent": .s("yes")])), "InvalidArguments", naming: "“persistent”"),
            BadCall(
                "sensitive as s", set(.options(["sensitive": .s("yes")])), "InvalidArguments", naming: "“sensitive”"),
            BadCall(
                "time-to-live below 0", set(.options(["time-to-live": .i(-1)])), "InvalidArguments",
                naming: "“time-to-live”"),
            BadCall(
                "promises in set", set(.options(["promises": .array("as", [])])), "InvalidArguments",
                naming: "“promises”"),
        ]
    }()

    private static let twice: [BadCall] = [
        BadCall(
            "id twice", .setItems(.item("x"), ["id": .s("0123456789abcdef"), "id": .s("0123456789abcdee")]),
            "InvalidArguments", naming: "“id”", "twice"),
        BadCall("take twice", .getItems(["take": .b(false), "take": .b(true)]), "InvalidArguments", naming: "“take”"),
        BadCall(
            "timeout twice", .openURL("handler.demo:", ["timeout": .u(1), "timeout": .u(1)]), "InvalidArguments",
            naming: "“timeout”"),
    ]

    /// Options that are valid on their own but cannot be combined.
    private static let together: [BadCall] = [
        BadCall("set alone", .openURL("handler.demo:", ["set": .none]), "InvalidArguments", naming: "“set”"),
        BadCall(
            "set without items", .openURL("handler.demo:", ["set": .none, "pasteboard": .s("canary")]),
            "InvalidArguments",
            naming: "“set”"),
        BadCall(
            "set without pasteboard", .openURL("handler.demo:", ["set": .none, "items": .item("x")]),
            "InvalidArguments",
            naming: "“set”"),
        BadCall(
            "change-count alone", .openURL("handler.demo:", ["change-count": .t(1)]), "InvalidArguments",
            naming: "“change-count”"),
        BadCall(
            "change-count and items",
            .openURL("handler.demo:", ["change-count": .t(1), "items": .item("x"), "pasteboard": .s("canary")]),
            "InvalidArguments", naming: "“change-count”"),
        BadCall("timeout 0", .openURL("handler.demo:", ["timeout": .u(0)]), "InvalidArguments", naming: "time"),
        BadCall(
            "window 0", .register("demo.Stored", ["a"], ["window": .u(0), "persistent": .b(true)]), "InvalidArguments",
            naming: "window"),
        BadCall(
            "take of a version", .getItems(["take": .b(true), "change-count": .t(1)]), "InvalidArguments",
            naming: "“take”"),
        BadCall("id without take", .getItems(["id": .s("0123456789abcdef")]), "InvalidArguments", naming: "“id”"),
        BadCall(
            "no schemes", .register("demo.Stored", [], ["persistent": .b(true)]), "InvalidArguments", naming: "scheme"),
        BadCall("no item to add", .addItems(.items([])), "InvalidArguments", naming: "item"),
        BadCall(
            "a path in an annotation", .openURL("handler.demo:", ["annotation": .o("/a")]), "InvalidArguments",
            naming: "annotation"),
        BadCall(
            "a signature in an annotation", .openURL("handler.demo:", ["annotation": .g("s")]), "InvalidArguments",
            naming: "annotation"),
        BadCall(
            "a variant in an annotation", .openURL("handler.demo:", ["annotation": .none]), "InvalidArguments",
            naming: "annotation"),
    ]

    @Test func `an option that is unknown or has the wrong type is rejected by name`() async throws {
        let rows =
            Self.unknown + Self.ofURLs + Self.ofSchemes + Self.ofPasteboards + Self.inSet + Self.twice + Self.together
        try await BadCall.expectRefused(rows)
    }

    /// Most languages write a small number as an `i` or an `x`, whatever the type of the option is.
    @Test func `an integer option accepts every integer type in which its value fits`() async throws {
        let scene = try await BadInputScene.start()
        func number(_ type: String, _ value: Int) -> WireValue { WireValue(signature: type, json: "\(value)") }
        for type in ["y", "n", "q", "i", "u", "x", "t"] {
            let page = try await scene.succeed(.listPasteboards(["limit": number(type, 1)]))
            #expect(page.body[0].elements?.count == 1, "\(type)")
            let count = try #require(try await scene.succeed(.setItems(.item("x"))).body[0].number)
            let next = try await scene.succeed(.setItems(.item("x"), ["if-change-count": number(type, count)]))
            #expect(next.body[0].number == count + 1, "\(type)")
        }
        let error = try await scene.peer.call(.listPasteboards(["limit": .i(-1)]), on: "caller")
        #expect(error.text.contains("the number -1 is not from 0 to 4294967295"), "\(error)")
    }

    /// Invalid item values.
    private static let values: [WireValue] = [
        .u(1), .b(true), .y(1), .x(1), .t(1), .d(1), .o("/a"), .g("s"), .strings(["x"]), .v(.s("x")), .none, .i(-1),
        .structure(.s("x")), .array("u", []), .array("ay", []), .array("{ss}", []), .item("x"),
    ]
    private static let items: [(String, WireValue, String)] =
        values.map { ("value of \($0.signature)", .items([[("text/plain", $0)]]), "“\($0.signature)”") } + [
            ("an empty item", .items([[]]), "representation"),
            ("an empty item behind another", .items([[("a/b", .s("x"))], []]), "representation"),
            ("a type twice", .items([[("a/b", .s("x")), ("a/b", .s("y"))]]), "twice"),
            ("a type twice in other letters", .items([[("text/plain", .s("x")), ("TEXT/Plain", .s("y"))]]), "twice"),
            ("an empty type", .item("x", ""), "type"), ("a range of types", .item("x", "image/*"), "range"),
            ("a type without a subtype", .item("x", "text/"), "subtype"),
            ("a type of a blank", .item("x", " "), "type"),
            ("an open quotation", .item("x", "text/plain;a=\"b"), "quotation"),
            ("a parameter twice", .item("x", "text/plain;a=b;A=c"), "twice"),
        ]

    private static let badItems: [BadCall] = items.flatMap { name, items, word in
        [
            BadCall(name, .setItems(items), "InvalidArguments", naming: word),
            BadCall(name, .addItems(items), "InvalidArguments", naming: word),
            BadCall(
                name, .openURL("handler.demo:", ["items": items, "pasteboard": .s("canary")]), "InvalidArguments",
                naming: word),
        ]
    }

    @Test func `a malformed item is rejected, and no part of it is kept`() async throws {
        try await BadCall.expectRefused(Self.badItems)
    }
}
