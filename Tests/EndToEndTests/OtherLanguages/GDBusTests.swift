import IPCTesting
import Testing

/// The broker from a shell, with GLib's tool.
@Suite(.privateBus) struct GDBusTests {
    private static let broker = "/org/swiftipc/Broker1"
    private static let board = "/org/swiftipc/Broker1/pasteboards/from_5fgdbus"
    private static let place = ["--session", "--dest", BrokerProcess.busName, "--object-path"]

    private func run(_ path: String, _ method: String, _ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "gdbus", ["call", "--timeout", "25"] + Self.place + [path, "--method", method, "--"] + arguments)
    }

    private func call(_ path: String, _ method: String, _ arguments: String...) async throws -> String {
        String(
            try await run(path, method.contains("freedesktop") ? method : "org.swiftipc.\(method)", arguments)
                .succeeded().output.dropLast())
    }

    private func set(_ text: String) async throws -> String {
        try await call(Self.board, "Pasteboard1.SetItems", "[[('text/plain;charset=utf-8', <'\(text)'>)]]", "{}")
    }

    private func property(_ name: String) async throws -> String {
        try await call(Self.board, "org.freedesktop.DBus.Properties.Get", "org.swiftipc.Pasteboard1", name)
    }

    /// The number in `(uint64 7,)`.
    private func count(_ answer: String) throws -> Int {
        try #require(answer.firstMatch(of: /uint64 ([0-9]+)/).flatMap { Int($0.1) })
    }

    private func make() async throws {
        let made = try await call(Self.broker, "Pasteboards1.GetPasteboard", "from_gdbus", "{'create': <true>}")
        #expect(made == "(objectpath '\(Self.board)',)")
    }

    @Test func `a pasteboard can be created, written, read, watched and removed`() async throws {
        _ = try await BrokerProcess.start()
        try await make()
        let first = try count(try await set("hello"))
        let read = try await call(Self.board, "Pasteboard1.GetItems", "{}")
        #expect(read.hasPrefix("(uint64 \(first), [[('text/plain;charset=utf-8', <'hello'>)]], {"))
        let data = try await call(Self.board, "Pasteboard1.GetData", "0", "text/plain;charset=utf-8", "{}")
        #expect(data.hasPrefix("(<'hello'>, {") && data.contains("'digest': <'xxh128:"))
        #expect(try await property("ChangeCount") == "(<uint64 \(first)>,)")
        #expect(try await property("Types") == "(<[['text/plain;charset=utf-8']]>,)")
        let properties = "org.freedesktop.DBus.Properties"
        #expect(
            try await call(Self.board, "\(properties).Set", "org.swiftipc.Pasteboard1", "HistoryLimit", "<uint32 3>")
                == "()")
        #expect(try await property("HistoryLimit") == "(<uint32 3>,)")
        let past = try await call(Self.broker, "Pasteboards1.WaitForChange", "['from_gdbus']", "0", "{}")
        #expect(past.contains("('from_gdbus', uint64 \(first))"))
        async let next = call(Self.broker, "Pasteboards1.WaitForChange", "['from_gdbus']", "\(first)", "{}")
        let second = try count(try await set("again"))
        #expect(try await next.contains("('from_gdbus', uint64 \(second))"))
        #expect(try await call(Self.broker, "Pasteboards1.RemovePasteboard", "from_gdbus", "{}") == "()")
        let gone = try await run(Self.board, "org.swiftipc.Pasteboard1.GetItems", ["@a{sv} {}"])
        #expect(gone.status != .success && gone.errors.contains("org.swiftipc.Error.NoSuchPasteboard"), "\(gone)")
    }

    @Test func `a URL with a payload is resolved and opened`() async throws {
        _ = try await BrokerProcess.start()
        let handler = try await PythonPeer.start(
            PythonPrograms.handler, arguments: ["demo.PythonHandler", "python.demo"])
        _ = try await handler.nextValue()
        let resolution = try await call(Self.broker, "Schemes1.ResolveURL", "python.demo:x", "{}")
        #expect(
            resolution.contains("'application': <'demo.PythonHandler'>")
                && resolution.contains("'reason': <'oldest-live'>"))
        let options = "{'items': <[[('text/plain;charset=utf-8', <'hello'>)]]>, 'pasteboard': <'from_gdbus'>}"
        let result = try await call(Self.broker, "URLs1.OpenURL", "python.demo:x", options)
        #expect(result.contains("'outcome': <'handled'>") && result.contains("<'HELLO'>"))
        #expect(try await call(Self.board, "Pasteboard1.GetItems", "{}").contains("<'hello'>"))
        let refused = try await run(Self.broker, "org.swiftipc.URLs1.OpenURL", ["nobody.demo:", "{}"])
        #expect(refused.status != .success && refused.errors.contains("org.swiftipc.Error.NoHandler"))
    }

    private func monitor(_ path: String) async throws -> RunningProcess {
        let monitor = try await RunningProcess.start("gdbus", ["monitor"] + Self.place + [path], input: .none)
        // The monitor subscribes to the signals before it reports who owns the name.
        try await monitor.waitForLine { $0.contains("is owned by") }
        return monitor
    }

    @Test func `a monitor sees changes of properties, handlers and pasteboards`() async throws {
        _ = try await BrokerProcess.start()
        let (broker, board) = (try await monitor(Self.broker), try await monitor(Self.board))
        try await make()
        try await broker.waitForLine { $0.contains("org.swiftipc.Pasteboards1.PasteboardAdded ('from_gdbus',)") }
        let first = "[[('text/plain', <'first'>)]]"
        _ = try await call("\(Self.broker)/pasteboards/new", "Pasteboard1.SetItems", first, "{'create': <true>}")
        try await broker.waitForLine { $0.contains("org.swiftipc.Pasteboards1.PasteboardAdded ('new',)") }
        let count = try count(try await set("hello"))
        let change = try await board.waitForLine {
            $0.contains("PropertiesChanged") && $0.contains("<uint64 \(count)>")
        }
        #expect(change.contains("'org.swiftipc.Pasteboard1'") && change.contains("'Types'"))
        #expect(!change.contains("hello"))
        let handler = try await PythonPeer.start(
            PythonPrograms.handler, arguments: ["demo.PythonHandler", "python.demo"])
        try await broker.waitForLine {
            $0.contains("org.swiftipc.Schemes1.HandlerChanged ('python.demo', '', 'demo.PythonHandler')")
        }
        try await handler.process.kill9()
        try await broker.waitForLine {
            $0.contains("org.swiftipc.Schemes1.HandlerChanged ('python.demo', 'demo.PythonHandler', '')")
        }
        _ = try await call(Self.broker, "Pasteboards1.RemovePasteboard", "from_gdbus", "{}")
        try await broker.waitForLine { $0.contains("org.swiftipc.Pasteboards1.PasteboardRemoved ('from_gdbus',)") }
    }
}
