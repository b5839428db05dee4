import Foundation
import IPCTesting
import Testing

/// The broker from a shell, with systemd's tool.
@Suite(.privateBus) struct BusctlTests {
    private static let broker = "/org/swiftipc/Broker1"
    private static let board = "/org/swiftipc/Broker1/pasteboards/from_5fbusctl"

    private func run(_ verb: String, _ arguments: [String]) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "busctl", ["--user", "--json=short", "--timeout=25", verb, BrokerProcess.busName] + arguments)
    }

    /// Calls a method, and returns its results.
    private func call(_ member: String, _ signature: String, _ arguments: String...) async throws -> [JSONValue] {
        let interface = Self.interfaces[member] ?? "Pasteboard1"
        let path = interface == "Pasteboard1" ? Self.board : Self.broker
        let output = try await run("call", [path, "org.swiftipc.\(interface)", member, signature] + arguments)
            .succeeded()
        // A method without results has no output.
        guard !output.outputBytes.isEmpty else { return [] }
        let answer = try JSONDecoder().decode(JSONValue.self, from: Data(output.outputBytes))
        return answer["data"]?.elements ?? []
    }

    private static let interfaces = [
        "GetPasteboard": "Pasteboards1", "ListPasteboards": "Pasteboards1", "WaitForChange": "Pasteboards1",
        "RemovePasteboard": "Pasteboards1", "ResolveURL": "Schemes1", "CanOpenURL": "Schemes1", "OpenURL": "URLs1",
    ]

    private func property(_ name: String) async throws -> JSONValue? {
        let output = try await run("get-property", [Self.board, "org.swiftipc.Pasteboard1", name]).succeeded()
        return try JSONDecoder().decode(JSONValue.self, from: Data(output.outputBytes))["data"]
    }

    private static let text = ["1", "1", "text/plain;charset=utf-8", "s"]

    private func set(_ text: String) async throws -> JSONValue? {
        try await call("SetItems", "aa(sv)a{sv}", "1", "1", "text/plain;charset=utf-8", "s", text, "0").first
    }

    @Test func `a pasteboard can be created, written, read, watched and removed`() async throws {
        _ = try await BrokerProcess.start()
        #expect(
            try await call("GetPasteboard", "sa{sv}", "from_busctl", "1", "create", "b", "true") == [
                .string(Self.board)
            ])
        let count = try #require(try await set("hello")?.number)
        let read = try await call("GetItems", "a{sv}", "0")
        #expect(read[0].number == count)
        #expect(read[1][0]?[0]?[0]?.text == "text/plain;charset=utf-8")
        #expect(read[1][0]?[0]?[1]?["data"]?.text == "hello")
        let data = try await call("GetData", "usa{sv}", "0", "text/plain;charset=utf-8", "0")
        #expect(data[0]["data"]?.text == "hello")
        #expect(data[1]["change-count"]?["data"]?.number == count)
        #expect(data[1]["digest"]?["data"]?.text?.hasPrefix("xxh128:") == true)
        #expect(try await property("ChangeCount")?.number == count)
        #expect(try await property("Name")?.text == "from_busctl")
        #expect(try await property("ItemCount")?.number == 1)
        #expect(try await property("Types") == .array([.array([.string("text/plain;charset=utf-8")])]))
        #expect(try await property("Persistent")?.truth == true)
        try await run("set-property", [Self.board, "org.swiftipc.Pasteboard1", "Persistent", "b", "false"]).succeeded()
        #expect(try await property("Persistent")?.truth == false)
        try await run("set-property", [Self.board, "org.swiftipc.Pasteboard1", "HistoryLimit", "u", "7"]).succeeded()
        #expect(try await property("HistoryLimit")?.number == 7)
        _ = try await call("RemovePasteboard", "sa{sv}", "from_busctl", "0")
        let gone = try await run("get-property", [Self.board, "org.swiftipc.Pasteboard1", "Name"])
        #expect(gone.status != .success)
    }

    @Test func `I13: waiting for a change returns at once for a past change, else at the next one`() async throws {
        _ = try await BrokerProcess.start()
        _ = try await call("GetPasteboard", "sa{sv}", "from_busctl", "1", "create", "b", "true")
        let first = try #require(try await set("one")?.number)
        let past = try await call("WaitForChange", "asta{sv}", "1", "from_busctl", "\(first - 1)", "0")
        #expect(past[0].number == first)
        #expect(past[1] == .array([.array([.string("from_busctl"), .integer(first)])]))
        async let next = call("WaitForChange", "asta{sv}", "1", "from_busctl", "\(first)", "0")
        let second = try #require(try await set("two")?.number)
        #expect(try await next[1] == .array([.array([.string("from_busctl"), .integer(second)])]))
        let none = try await call(
            "WaitForChange", "asta{sv}", "1", "from_busctl", "\(second)", "1", "timeout", "u", "0")
        #expect(none[1] == .array([]))
    }

    @Test func `a URL with a payload is resolved and opened`() async throws {
        _ = try await BrokerProcess.start()
        let nobody = try await call("ResolveURL", "sa{sv}", "python.demo:x", "0")
        #expect(nobody[0]["reason"]?["data"]?.text == "no-handler")
        let handler = try await PythonPeer.start(
            PythonPrograms.handler, arguments: ["demo.PythonHandler", "python.demo"])
        _ = try await handler.nextValue()
        let resolution = try await call("ResolveURL", "sa{sv}", "python.demo:x", "0")
        #expect(resolution[0]["application"]?["data"]?.text == "demo.PythonHandler")
        #expect(resolution[0]["running"]?["data"]?.truth == true)
        #expect(try await call("CanOpenURL", "sa{sv}", "python.demo:x", "0") == [.boolean(true)])
        let result = try await call(
            "OpenURL", "sa{sv}", "python.demo:x", "2", "items", "aa(sv)", "1", "1", "text/plain;charset=utf-8", "s",
            "hello",
            "pasteboard", "s", "from_busctl")
        #expect(result[0]["outcome"]?["data"]?.text == "handled")
        #expect(result[0]["items"]?["data"]?[0]?[0]?[1]?["data"]?.text == "HELLO")
        #expect(try await handler.nextValue()["context"]?["items"]?[0]?[0]?[1]?.text == "hello")
        #expect(try await call("GetItems", "a{sv}", "0")[1][0]?[0]?[1]?["data"]?.text == "hello")
        let refused = try await run(
            "call", [Self.broker, "org.swiftipc.URLs1", "OpenURL", "sa{sv}", "nobody.demo:", "0"])
        #expect(refused.status != .success && refused.errors.contains("no application handles"))
    }

    @Test func `introspection shows all members`() async throws {
        _ = try await BrokerProcess.start()
        let shown = try await RunningProcess.run(
            "busctl", ["--user", "--no-pager", "introspect", BrokerProcess.busName, Self.broker]
        )
        .succeeded().output
        for member in [".OpenURL", ".Register", ".ListPasteboards", ".WaitForChange", ".Features", ".HandlerChanged"] {
            #expect(shown.contains(member), "\(member)")
        }
    }
}
