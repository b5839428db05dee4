import IPCTesting
import Testing

/// The commands of `ipc-client` against the real broker, each with its exit code.
@Suite(.privateBus)
struct ToolCommandTests {
    @Test func aPasteboardIsSetReadListedClearedAndRemoved() async throws {
        let broker = try await BrokerProcess.start()
        let bytes: [UInt8] = [0, 255, 10, 128, 10]
        let set = try await Tools.client(["set", "board"], input: .bytes(bytes))
        #expect(set.status == .success, "\(set)")
        #expect(try await Tools.client(["get", "board"]).outputBytes == bytes)
        let boards = try await Tools.client(["board", "list", "--json"])
        #expect(boards.lines.contains { (try? JSONText.string("pasteboard", in: $0)) == "board" })
        #expect(try await Tools.client(["board", "clear", "board"]).status == .success)
        #expect(try await Tools.client(["get", "board"]).outputBytes.isEmpty)
        #expect(try await Tools.client(["board", "remove", "board"]).status == .success)
        #expect(try await Tools.client(["get", "board"]).status == .exited(66))
        #expect(try await Tools.client(["board", "remove", "general"]).status == .exited(77))
        withExtendedLifetime(broker) {}
    }

    @Test func schemesAreRegisteredChosenExplainedAndUnregistered() async throws {
        let broker = try await BrokerProcess.start()
        for application in ["org.example.One", "org.example.Two"] {
            let registered = try await Tools.client([
                "scheme", "register", "Pair", "--application", application, "--persistent",
            ])
            #expect(registered.status == .success, "\(registered)")
        }
        #expect(try await Tools.client(["scheme", "default", "pair"]).output.contains("org.example.One"))
        #expect(try await Tools.client(["scheme", "default", "pair", "org.example.Two"]).status == .success)
        let resolved = try await Tools.client(["scheme", "resolve", "pair:x", "--json"])
        #expect(try JSONText.string("application", in: resolved.output) == "org.example.Two")
        #expect(try JSONText.string("reason", in: resolved.output) == "default")
        // I21: the user's default handler is kept across a restart, and only the user can undo the choice.
        try await broker.restart()
        #expect(try await Tools.client(["scheme", "list", "pair"]).output.contains("org.example.Two"))
        #expect(
            try await Tools.client(["scheme", "unregister", "pair", "--application", "org.example.Two"]).status
                == .success)
        #expect(try await Tools.client(["scheme", "default", "pair"]).output.contains("org.example.One"))
        // I22: a reserved scheme cannot be registered.
        let reserved = try await Tools.client([
            "scheme", "register", "https", "--application", "org.example.One", "--persistent",
        ])
        #expect(reserved.status == .exited(77))
    }

    @Test func outcomesAreExitCodesAndRepliesAreOutput() async throws {
        let broker = try await BrokerProcess.start()
        let declining = try await Tools.server(["--decline"])
        #expect(try await Tools.client(["send", "x"]).status == .exited(1))
        _ = try await declining.terminate()
        let replying = try await Tools.server(["--reply", "an answer"])
        let replied = try await Tools.client(["send", "x"])
        #expect(replied.status == .success && replied.output.hasPrefix("an answer"))
        #expect(try await Tools.client(["send", "--file", "/nowhere"]).status == .exited(66))
        #expect(try await Tools.client(["send", "--timeout", "soon", "x"]).status == .exited(64))
        let second = try await RunningProcess.run(try Binaries.path("ipc-server"))
        #expect(second.status == .exited(73) && second.errors.contains("demo.IPCServer"))
        #expect(try await replying.terminate() == .success)
        let failing = try await Tools.server(["--exec", "cat; exit 3"])
        #expect(try await Tools.client(["send", "x"]).status == .exited(70))
        _ = try await failing.terminate()
        let echoing = try await Tools.server([
            "--exec", "printf '%s|' \"$IPC_URL\" \"$IPC_SOURCE\" \"$IPC_BOARD\"; cat",
        ])
        let echoed = try await Tools.client(["send", "--url", "ipcserver.demo:$(id) '", "text"])
        #expect(echoed.output.hasPrefix("ipcserver.demo:$(id) '|demo.IPCClient|demo.IPCClient|text"), "\(echoed)")
        _ = try await echoing.terminate()
        #expect(try await Tools.client(["broker", "describe"]).output.contains("features"))
        withExtendedLifetime(broker) {}
    }
}
