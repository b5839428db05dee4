import IPCTesting
import Testing

@Suite(.privateBus) struct SignatureTests {
    private static let pasteboard = "\(WireCall.broker)/pasteboards/canary"

    /// Every method with valid arguments.
    private static let methods: [(WireCall, String)] = [
        (.openURL("handler.demo:"), "sa{sv}"), (.canOpenURL("handler.demo:"), "sa{sv}"),
        (.resolveURL("handler.demo:"), "sa{sv}"), (.register("demo.Stored", ["a"]), "sasa{sv}"),
        (.unregister("demo.Handler", []), "sasa{sv}"), (.listHandlers(""), "sa{sv}"),
        (.setDefault("handler.demo", "demo.Handler"), "ssa{sv}"), (.listDefaults(), "a{sv}"),
        (.listPolicies(), "a{sv}"), (.getPasteboard("new"), "sa{sv}"),
        (WireCall("Pasteboards1", "CreateUniquePasteboard", [.none]), "a{sv}"), (.removePasteboard("canary"), "sa{sv}"),
        (.listPasteboards(), "a{sv}"), (.waitForChange([], since: 0), "asta{sv}"), (.describe(), "a{sv}"),
        (.setItems(), "aa(sv)a{sv}"), (.addItems(), "aa(sv)a{sv}"), (.clear(), "a{sv}"), (.getItems(), "a{sv}"),
        (.getData(0, "text/plain"), "usa{sv}"),
        (.properties("Get", [.s("org.swiftipc.Pasteboard1"), .s("Name")]), "ss"),
        (.properties("GetAll", [.s("org.swiftipc.Pasteboard1")]), "s"),
        (.properties("Set", [.s("org.swiftipc.Pasteboard1"), .s("Persistent"), .v(.b(false))]), "ssv"),
        (WireCall("org.freedesktop.DBus.Introspectable", "Introspect", [], at: pasteboard), ""),
    ]

    private static let rows: [BadCall] = methods.flatMap { (call: WireCall, signature: String) -> [BadCall] in
        var bodies: [(String, [WireValue])] = [
            ("with one more", call.body + [.b(true)]), ("with a second dictionary", call.body + [.none]),
            ("with a byte first", [.y(1)] + call.body), ("as one structure", [.structure(.s("x"), .u(1))]),
            ("as a variant", [.v(.s("x"))]),
        ]
        if !call.body.isEmpty {
            bodies.append(("without arguments", []))
        }
        if call.body.count > 1 { bodies.append(("without the last", Array(call.body.dropLast()))) }
        if call.body.last == WireValue.none {
            bodies.append(("with options of texts", call.body.dropLast() + [.array("{ss}", [])]))
            bodies.append(("with options as a structure", call.body.dropLast() + [.array("(sv)", [])]))
        }
        if call.body.first?.signature == "s" {
            bodies.append(("with a path for the text", [.o("/a")] + call.body.dropFirst()))
            bodies.append(("with bytes for the text", [.array("y", [.y(97)])] + call.body.dropFirst()))
        }
        if call.body.count > 1 { bodies.append(("backwards", call.body.reversed())) }
        return bodies.compactMap { name, body in
            guard body.map(\.signature).joined() != signature else { return nil }
            var call = call
            call.body = body
            return BadCall(name, call, "InvalidArguments", naming: "“\(signature)”")
        }
    }

    private static let properties: [BadCall] = [
        ("Persistent", WireValue.u(1)), ("Persistent", .s("true")), ("HistoryLimit", .i(1)), ("HistoryLimit", .t(1)),
        ("HistoryLimit", .s("1")), ("Persistent", .v(.b(true))), ("HistoryLimit", .strings([])),
    ].map { name, value in
        BadCall(
            "\(name) as \(value.signature)", .properties("Set", [.s("org.swiftipc.Pasteboard1"), .s(name), .v(value)]),
            "InvalidArguments", naming: name)
    }

    @Test func `arguments with a wrong signature are InvalidArguments, and the message has the right one`() async throws
    {
        try await BadCall.expectRefused(Self.rows + Self.properties)
    }

    /// Bodies that do not match their signature; the bus disconnects their sender.
    private static let malformed: [BadCall] = {
        func row(_ what: String, _ signature: String, _ body: [WireValue]) -> BadCall {
            var call = WireCall.describe()
            call.signature = signature
            call.body = body
            return BadCall(thrownOff: what, call)
        }
        return [
            row("two dictionaries for a text", "s", [.none, .none]), row("more than the signature", "u", [.t(1)]),
            row("less than the signature", "t", [.u(1)]), row("no body", "s", []),
            row("a body without a signature", "", [.u(1)]),
            row("a Boolean of 2", "b", [.u(2)]), row("a Boolean of all ones", "b", [.u(.max)]),
            row("a text longer than the body", "s", [.u(4096)]), row("a text of 4 GiB", "s", [.u(.max)]),
            row("an array longer than the body", "as", [.u(4096)]), row("an array of 4 GiB", "ay", [.u(.max)]),
            row("an unknown type", "Z", [.u(1)]), row("an array of nothing", "a", [.u(0)]),
            row("an open structure", "(s", [.u(0)]), row("an empty structure", "()", [.u(0)]),
            row("an entry without an array", "{sv}", [.u(0)]),
            row("an entry with a variant as its key", "a{vs}", [.u(0)]),
            row("33 arrays", String(repeating: "a", count: 33) + "y", [.u(0)]),
            row("33 structures", String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33), [.u(0)]),
            row("a path that is none", "o", [.s("a")]), row("a signature that is none", "g", [.g("a")]),
            row("a variant of two types", "v", [.g("ss")]), row("a variant of none", "v", [.g("")]),
            row("a variant without its value", "v", [.g("s")]),
        ]
    }()

    @Test func `I23: a body that does not match its signature does not reach the broker`() async throws {
        try await BadCall.expectRefused(Self.malformed)
    }
}
