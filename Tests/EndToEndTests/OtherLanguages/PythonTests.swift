import Foundation
import IPCTesting
import Testing

extension PythonPeer {
    /// The next line, as JSON.
    func nextValue() async throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(try await nextLine().utf8))
    }
}

/// Python programs on both sides of the broker.
@Suite(.privateBus) struct PythonTests {
    private func startHandler(_ arguments: [String] = ["demo.PythonHandler", "python.demo"]) async throws -> PythonPeer
    {
        let handler = try await PythonPeer.start(PythonPrograms.handler, arguments: arguments)
        if arguments.count > 1 { #expect(try await handler.nextValue()["registered"] != nil) }
        return handler
    }

    private func open(_ client: PythonPeer, _ url: String, text: String? = nil, options: String = "{}") async throws {
        let text = text.map { #","text":\#(JSON.text($0))"# } ?? ""
        client.tell(#"{"url":\#(JSON.text(url)),"options":\#(options)\#(text)}"#)
    }

    @Test func `a Python program gets a URL with a payload from another one, and answers`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        let client = try await PythonPeer.start(PythonPrograms.client)
        let options =
            #"{"pasteboard":"demo.PythonClient","source-application":"demo.PythonClient","annotation":[1,2,3]}"#
        try await open(client, "python.demo://host?key=value", text: "grüße", options: options)
        let request = try await handler.nextValue()
        #expect(request["url"]?.text == "python.demo://host?key=value")
        let context = try #require(request["context"])
        let payload: JSONValue = .array([
            .array([
                .array([.string("text/plain;charset=utf-8"), .string("grüße")]),
                .array([.string("application/octet-stream"), .array([.integer(0), .integer(1), .integer(255)])]),
            ])
        ])
        #expect(context["items"] == payload)
        #expect(context["pasteboard"]?.text == "demo.PythonClient")
        #expect(context["source-application"]?.text == "demo.PythonClient")
        #expect(context["source-strength"]?.text == "claimed")
        #expect(context["annotation"] == .array([.integer(1), .integer(2), .integer(3)]))
        #expect(context["attempt"]?.number == 1)
        #expect((1...20_000).contains(context["timeout"]?.number ?? 0))
        let result = try #require(try await client.nextValue()["result"])
        #expect(result["outcome"]?.text == "handled")
        #expect(result["application"]?.text == "demo.PythonHandler")
        #expect(result["id"] == request["id"])
        #expect(result["change-count"] == context["change-count"])
        #expect(result["items"]?[0]?[0]?[1]?.text == "GRÜSSE")
        #expect(result["items"]?[0]?[1]?[1] == .array([.integer(0), .integer(1), .integer(255)]))
    }

    /// The text is sent as a string in a message, from a file by `ipc-client`, and as a descriptor.
    @Test(arguments: [6, 100_000])
    func `text reaches a handler in Python as a string, however it was sent`(count: Int) async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        let text = String(repeating: "grüße ", count: count / 6)
        let file = try PrivateBus.current.directory.appending("text.txt")
        try FileContents.write(text, to: file)
        let descriptor = """
            import dbus, sys
            broker = dbus.SessionBus().get_object("org.swiftipc.Broker1", "/org/swiftipc/Broker1")
            items = [[("text/plain", dbus.types.UnixFd(open(sys.argv[1])))]]
            broker.OpenURL("python.demo:x", {"items": dbus.Array(items, signature="a(sv)")}, signature="sa{sv}",
                           dbus_interface="org.swiftipc.URLs1")
            """
        let (client, python) = (try Binaries.path("ipc-client"), "/usr/bin/python3")
        for (program, arguments) in [
            (client, ["send", "--url", "python.demo:x", "--file", file]), (client, ["send", "--url", "python.demo:x"]),
            (python, ["-c", descriptor, file]),
        ] {
            _ = try await RunningProcess.run(program, arguments, input: .text(text)).succeeded()
            let request = try await handler.nextValue()
            #expect(request["context"]?["items"]?[0]?[0]?[1]?.text == text, "\(arguments)")
        }
    }

    @Test func `the sender learns that a Python handler declined or failed`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        let client = try await PythonPeer.start(PythonPrograms.client)
        try await open(client, "python.demo:?decline")
        let declined = try await client.nextValue()["result"]
        #expect(declined?["outcome"]?.text == "declined")
        #expect(declined?["error-code"]?.text == "busy")
        #expect(declined?["error-message"]?.text == "not now")
        try await open(client, "python.demo:?raise")
        let failed = try await client.nextValue()["result"]
        #expect(failed?["outcome"]?.text == "failed")
        #expect(failed?["error-name"]?.text == "demo.Error.Broken")
        #expect(failed?["error-message"]?.text == "it broke")
        try await open(client, "nobody.demo:")
        #expect(try await client.nextValue()["error"]?.text == "org.swiftipc.Error.NoHandler")
        try await handler.process.kill9()
        try await open(client, "python.demo:", options: #"{"application":"demo.PythonHandler"}"#)
        #expect(try await client.nextValue()["error"]?.text == "org.swiftipc.Error.HandlerUnavailable")
    }

    private static let urls = [
        "python.demo:", "PYTHON.demo:", "Python.Demo://Host/", "python.demo:a raw blank", "python.demo:100%",
        "python.demo:%", "python.demo:%00%0A", "python.demo:%E6%97%A5%E6%9C%AC%E8%AA%9E", "python.demo:日本語",
        "python.demo:e\u{301} é", "python.demo:$(touch /tmp/x)`id`;|&<>\"'\\", "python.demo:--option", "python.demo: ",
        "python.demo:?a=b&c=d#e", "python.demo::::", "python.demo:\u{85}\u{2028}\u{FEFF}😀",
        "python.demo://[::1]:0/..//.",
        "python.demo:" + String(repeating: "x ü%", count: 12_000),
    ]

    @Test func `I20: the bytes of a URL reach a handler in Python unchanged`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        let client = try await PythonPeer.start(PythonPrograms.client)
        for url in Self.urls {
            try await open(client, url)
            let arrived = try #require(try await handler.nextValue()["url"]?.text)
            #expect(arrived.utf8.elementsEqual(url.utf8), "\(arrived.prefix(100))")
            #expect(try await client.nextValue()["result"]?["outcome"]?.text == "handled")
        }
    }

    @Test(arguments: [
        ("demo.Owner", "demo.Owner", "owned"), ("demo.Owner", "demo.Other", "claimed"),
        ("demo.Owner", "demo.PythonHandler", "claimed"), ("demo.Owner", "org.swiftipc.Broker1", "claimed"),
        ("", "demo.Owner", "claimed"), ("demo.Owner", "", "unknown"),
    ])
    func `I19: a source is owned only if the sender owns its name on the bus`(
        owned: String, stated: String, strength: String
    ) async throws {
        _ = try await BrokerProcess.start()
        let handler = try await startHandler()
        let client = try await PythonPeer.start(PythonPrograms.client, arguments: owned.isEmpty ? [] : [owned])
        let options = stated.isEmpty ? "{}" : #"{"source-application":"\#(stated)"}"#
        for _ in 0..<2 {
            try await open(client, "python.demo:", options: options)
            let context = try await handler.nextValue()["context"]
            #expect(context?["source-strength"]?.text == strength)
            #expect(context?["source-application"]?.text == stated)
            #expect(try await client.nextValue()["result"]?["outcome"]?.text == "handled")
        }
    }

    @Test func `the bus starts a Python handler that is not running`() async throws {
        let bus = try PrivateBus.current
        let (script, log) = (bus.directory.appending("handler.py"), bus.directory.appending("handler.log"))
        try FileContents.write(PythonPrograms.handler, to: script)
        try await bus.addService(
            name: "demo.PythonHandler",
            exec: "/bin/sh -c \"exec /usr/bin/python3 \(script) demo.PythonHandler > \(log)\"")
        _ = try await BrokerProcess.start()
        let client = try await PythonPeer.start(PythonPrograms.client)
        let pinned = #"{"application":"demo.PythonHandler"}"#
        try await open(client, "python.demo:cold", text: "hello", options: pinned)
        let result = try await client.nextValue()["result"]
        #expect(result?["outcome"]?.text == "handled")
        #expect(result?["items"]?[0]?[0]?[1]?.text == "HELLO")
        #expect(try FileContents.text(log).contains(#""url": "python.demo:cold""#))
    }

    @Test func `a Python program is notified of handlers, pasteboards and changes`() async throws {
        _ = try await BrokerProcess.start()
        let listener = try await PythonPeer.start(PythonPrograms.listener)
        #expect(try await listener.nextValue()["listening"] != nil)
        let handler = try await startHandler()
        let changed = try await listener.nextValue()
        #expect(changed["member"]?.text == "HandlerChanged")
        #expect(changed["path"]?.text == "/org/swiftipc/Broker1")
        #expect(changed["arguments"] == .array([.string("python.demo"), .string(""), .string("demo.PythonHandler")]))
        try await handler.process.kill9()
        let gone = try await listener.nextValue()
        #expect(gone["arguments"] == .array([.string("python.demo"), .string("demo.PythonHandler"), .string("")]))
        let client = try await PythonPeer.start(PythonPrograms.client)
        _ = try await startHandler()
        #expect(try await listener.nextValue()["member"]?.text == "HandlerChanged")
        try await open(client, "python.demo:", text: "x", options: #"{"pasteboard":"heard"}"#)
        // The three signals may arrive in any order: ObjectManager announces the new pasteboard as well.
        let heard = [
            try await listener.nextValue(), try await listener.nextValue(), try await listener.nextValue(),
        ]
        #expect(heard.contains { $0["member"]?.text == "InterfacesAdded" })
        let added = heard.first { $0["member"]?.text == "PasteboardAdded" }
        #expect(added?["arguments"] == .array([.string("heard")]))
        let properties = try #require(heard.first { $0["member"]?.text == "PropertiesChanged" })
        #expect(properties["path"]?.text == "/org/swiftipc/Broker1/pasteboards/heard")
        let arguments = try #require(properties["arguments"])
        #expect(arguments[0]?.text == "org.swiftipc.Pasteboard1")
        // As the properties' annotations declare, the signal has all changed values except the value of `Types`.
        for name in ["ChangeCount", "Persistent", "HistoryLimit", "ItemCount"] {
            #expect(arguments[1]?[name] != nil, "\(name)")
        }
        #expect(arguments[2] == .array([.string("Types")]))
    }
}
