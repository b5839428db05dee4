import IPCTesting
import Testing

/// Names that break the rules of the section "Valid Names" in the D-Bus specification.
@Suite(.privateBus) struct BusNameTests {
    private static let applications = [
        "demo", "demo.", ".demo", "demo..Handler", "demo.Handler.", ":1.5", ":demo.Handler", "demo.1Handler",
        "1demo.Handler", "demo.Hand ler", "demo.Händler", "demo/Handler", "demo.Handler/x", "demo.Hand:ler", "demo.*",
        "demo.Handler\u{200B}", "demo.Ｈandler", "demo.Handler,x", "demo.Handler@host", "demo.-.9", "demo.Handler+",
        " demo.Handler", "demo.Handler ", "demo.Handler'", ".", "..", "-",
        "demo.Handler%00",
    ]

    private static let rows: [BadCall] =
        applications.flatMap { (name: String) -> [BadCall] in
            let calls: [(String, WireCall)] = [
                ("registered", .register(name, ["a"])), ("stored", .register(name, ["a"], ["persistent": .b(true)])),
                ("unregistered", .unregister(name, [])), ("chosen", .setDefault("handler.demo", name)),
                ("pinned", .openURL("handler.demo:", ["application": .s(name)])),
                ("as source", .openURL("handler.demo:", ["source-application": .s(name)])),
                ("as writer", .setItems(.item("x"), ["source-application": .s(name)])),
                ("as one who clears", .clear(["source-application": .s(name)])),
            ]
            return calls.map { BadCall("“\(name)” \($0.0)", $0.1, "InvalidName", naming: "application id") }
        } + [
            BadCall("“” registered", .register("", ["a"]), "InvalidName", naming: "application id"),
            BadCall(
                "“” pinned", .openURL("handler.demo:", ["application": .s("")]), "InvalidName", naming: "application id"
            ),
        ]

    @Test func `I23: an application id that is not a bus name is InvalidName`() async throws {
        try await BadCall.expectRefused(Self.rows)
    }

    /// Messages whose header has an invalid path or name; the bus disconnects their sender.
    private static let heads: [BadCall] = {
        func row(_ what: String, _ change: (inout WireCall) -> Void) -> BadCall {
            var call = WireCall.describe()
            change(&call)
            return BadCall(thrownOff: what, call)
        }
        return [
            row("path without a slash") { $0.path = "org/swiftipc" }, row("path of two slashes") { $0.path = "//" },
            row("path that ends with a slash") { $0.path += "/" }, row("empty path") { $0.path = "" },
            row("path with a dot") { $0.path = "/org.swiftipc" }, row("path with a hyphen") { $0.path = "/a-b" },
            row("path with a letter of another script") { $0.path = "/ä" },
            row("path with a blank") { $0.path = "/a b" },
            row("path with an empty element") { $0.path = "/a//b" },
            row("interface of one element") { $0.interface = "Broker1" }, row("empty interface") { $0.interface = "" },
            row("interface with an empty element") { $0.interface = "org..Broker1" },
            row("interface with a digit first") { $0.interface = "org.1Broker" },
            row("interface with a hyphen") { $0.interface = "org.Bro-ker" },
            row("interface of 256") { $0.interface = "org." + String(repeating: "a", count: 252) },
            row("member with a dot") { $0.member = "De.scribe" }, row("empty member") { $0.member = "" },
            row("member with a digit first") { $0.member = "1Describe" },
            row("member with a hyphen") { $0.member = "De-scribe" },
            row("member of 256") { $0.member = String(repeating: "a", count: 256) },
            row("member of another script") { $0.member = "Dèscribe" },
            row("destination of one element") { $0.destination = "broker" },
            row("destination with an empty element") { $0.destination = "org..Broker1" },
            row("empty destination") { $0.destination = "" },
            row("destination with a digit first") { $0.destination = "org.1Broker" },
        ]
    }()

    @Test func `I23: a message with an invalid header does not reach the broker`() async throws {
        try await BadCall.expectRefused(Self.heads)
    }

    /// Calls with names that are valid but unknown to the broker or the bus.
    private static let unknown: [BadCall] = {
        func row(_ what: String, _ error: String, _ change: (inout WireCall) -> Void) -> BadCall {
            var call = WireCall.describe()
            change(&call)
            return BadCall(what, call, "org.freedesktop.DBus.Error.\(error)")
        }
        let board = WireCall.board
        return [
            row("another path", "UnknownObject") { $0.path = "/org/swiftipc/Broker2" },
            row("the root", "UnknownObject") { $0.path = "/" },
            row("above", "UnknownObject") { $0.path = "/org/swiftipc" },
            row("below", "UnknownObject") { $0.path += "/x" },
            row("the parent of the pasteboards", "UnknownInterface") { $0.path += "/pasteboards" },
            row("below a pasteboard", "UnknownObject") { $0.path = board + "/x" },
            row("another interface", "UnknownInterface") { $0.interface = "org.swiftipc.Broker2" },
            row("the interface of a pasteboard", "UnknownInterface") { $0.interface = "org.swiftipc.Pasteboard1" },
            row("the interface of handlers", "UnknownInterface") { $0.interface = "org.swiftipc.URLHandler1" },
            row("the interface of the broker on a pasteboard", "UnknownInterface") { $0.path = board },
            row("another member", "UnknownMethod") { $0.member = "Descry" },
            row("a member in small letters", "UnknownMethod") { $0.member = "describe" },
            row("a property as a method", "UnknownMethod") { $0.member = "Version" },
            row("a signal as a method", "UnknownMethod") {
                $0.interface = "org.swiftipc.Schemes1"
                $0.member = "HandlerChanged"
            },
            row("a member of another interface", "UnknownMethod") { $0.member = "OpenURL" },
            row("a member that is to come", "UnknownMethod") {
                $0.interface = "org.swiftipc.Broker1"
                $0.member = "Disconnect"
            },
            row("another member of Properties", "UnknownMethod") {
                $0.interface = "org.freedesktop.DBus.Properties"
                $0.member = "Remove"
            },
            row("another member of Introspectable", "UnknownMethod") {
                $0.interface = "org.freedesktop.DBus.Introspectable"
                $0.member = "Look"
            },
            row("an escape in capitals", "UnknownObject") { $0.path = board + "_2E" },
            row("an escape that need not be", "UnknownObject") { $0.path = board + "_61" },
            row("an escape that is cut", "UnknownObject") { $0.path = board + "_6" },
            row("an escaped control character", "UnknownObject") { $0.path = board + "_0a" },
            row("an escape that is not UTF-8", "UnknownObject") { $0.path = board + "_ff" },
        ].map { row in
            // For the path of a pasteboard that cannot exist, every pasteboard member returns the same error.
            guard row.call.path.contains("canary_") else { return row }
            return BadCall(row.description, .getItems(at: row.call.path), "org.freedesktop.DBus.Error.UnknownObject")
        }
    }()

    private static let properties: [BadCall] = [
        BadCall(
            "another property", .properties("Get", [.s("org.swiftipc.Pasteboard1"), .s("Colour")]),
            "org.freedesktop.DBus.Error.UnknownProperty"),
        BadCall(
            "of another interface", .properties("Get", [.s("org.swiftipc.Broker1"), .s("Version")]),
            "org.freedesktop.DBus.Error.UnknownInterface"),
        BadCall("of no interface", .properties("GetAll", [.s("a")]), "org.freedesktop.DBus.Error.UnknownInterface"),
        BadCall(
            "that cannot be written", .properties("Set", [.s("org.swiftipc.Pasteboard1"), .s("Name"), .v(.s("x"))]),
            "org.freedesktop.DBus.Error.PropertyReadOnly"),
        BadCall(
            "that cannot be written, of the broker",
            .properties("Set", [.s("org.swiftipc.Broker1"), .s("Version"), .v(.s("x"))], at: WireCall.broker),
            "org.freedesktop.DBus.Error.PropertyReadOnly"),
        BadCall(
            "of a pasteboard that is not there",
            .properties(
                "Get", [.s("org.swiftipc.Pasteboard1"), .s("Name")], at: "\(WireCall.broker)/pasteboards/none"),
            "NoSuchPasteboard"),
        BadCall(
            "of a pasteboard that is not there", .getItems(at: "\(WireCall.broker)/pasteboards/none"),
            "NoSuchPasteboard"),
        BadCall(
            "of a pasteboard that is not there", .clear(at: "\(WireCall.broker)/pasteboards/none"), "NoSuchPasteboard"),
    ]

    @Test func `I18: unknown objects, interfaces and members get the standard errors`() async throws {
        try await BadCall.expectRefused(Self.unknown + Self.properties)
    }
}
