import Glibc
import IPCTesting
import Testing

/// `watch` against the real broker.
@Suite(.privateBus)
struct WatchToolTests {
    private func watch(_ arguments: [String]) async throws -> RunningProcess {
        let watch = try await RunningProcess.start(try Binaries.path("ipc-client"), ["watch"] + arguments, input: .none)
        try await watch.errors.waitForLine { $0.contains("watching ") }
        return watch
    }

    @Test func everyChangePrintsALineImmediately() async throws {
        let broker = try await BrokerProcess.start()
        let watch = try await watch(["board"])
        _ = try await Tools.client(["copy", "not this one"]).succeeded()
        _ = try await Tools.client(["set", "board", "text"]).succeeded()
        try await watch.waitForLine { $0.hasSuffix("\tset\t4\ttext/plain;charset=utf-8") }
        // The creation of the pasteboard and its first content are reported as one change.
        #expect(watch.output.text.split(separator: "\n").count == 1)
        #expect(try await Tools.client(["board", "history", "board"]).lines.count == 1)
        _ = try await Tools.client(["board", "clear", "board"]).succeeded()
        try await watch.waitForLine { $0.contains("\tboard\t") && $0.contains("\tempty\t") }
        _ = try await Tools.client(["board", "remove", "board"]).succeeded()
        try await watch.waitForLine { $0.contains("\tremoved\t") }
        #expect(!watch.output.text.contains("general"))
        #expect(try await watch.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func aCursorResumesWithoutLoss() async throws {
        let broker = try await BrokerProcess.start()
        let count = try JSONText.string(
            "change-count", in: try await Tools.client(["set", "a", "--json", "1"]).succeeded().output)
        for name in ["b", "c"] { _ = try await Tools.client(["set", name, "x"]).succeeded() }
        let told = try await Tools.client(["watch", "--since", count, "--count", "2", "--json"])
        #expect(told.status == .success)
        #expect(try told.lines.map { try JSONText.string("pasteboard", in: $0) } == ["b", "c"])
        #expect(try told.lines.map { try JSONText.string("size", in: $0) } == ["1", "1"])
        withExtendedLifetime(broker) {}
    }

    @Test func aCommandGetsTheContentAndItsDescription() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "board"], input: .text("$(id) 'x'\n")).succeeded()
        let command =
            "printf '%s|' \"$IPC_BOARD\" \"$IPC_EVENT\" \"$IPC_TYPE\" \"$IPC_SIZE\" \"$IPC_SOURCE\"; cat; exit 3"
        let told = try await Tools.client(["watch", "board", "--since", "0", "--count", "1", "--exec", command])
        #expect(told.status == .success)
        #expect(told.output == "board|set|text/plain;charset=utf-8|10|demo.IPCClient|$(id) 'x'\n")
        #expect(told.errors.contains("exited with code 3"))
        // A command that does not read its input is not a failure.
        let deaf = try await Tools.client(["watch", "board", "--since", "0", "--count", "1", "--exec", "true"])
        #expect(deaf.status == .success && !deaf.errors.contains("warning"), "\(deaf)")
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalStopsItCleanly(_ number: Int32) async throws {
        let broker = try await BrokerProcess.start()
        let watch = try await watch([])
        watch.signal(number)
        #expect(try await watch.wait() == .success)
        withExtendedLifetime(broker) {}
    }

    /// The reader leaves while nothing happens: `watch` must notice without a change.
    @Test func aClosedPipeStopsItQuietly() async throws {
        let broker = try await BrokerProcess.start()
        let client = try Binaries.path("ipc-client")
        _ = try await Tools.client(["copy", "x"]).succeeded()
        let output = try await RunningProcess.run(
            "sh", ["-c", "{ \(client) watch --since 0; echo \"code $?\" >&2; } | head -n 1"])
        #expect(output.status == .success && output.lines.count == 1)
        #expect(output.errors.contains("code 0") && !output.errors.contains("ipc-client:"), "\(output)")
        withExtendedLifetime(broker) {}
    }

    /// I24: `watch` continues when the broker is back.
    @Test func aWatchContinuesAfterARestart() async throws {
        let broker = try await BrokerProcess.start()
        let watch = try await watch(["board"])
        _ = try await Tools.client(["set", "board", "before"]).succeeded()
        try await watch.waitForLine { $0.contains("\tset\t6\t") }
        try await broker.kill9()
        try await broker.restart()
        _ = try await Tools.client(["set", "board", "behind it"]).succeeded()
        try await watch.waitForLine { $0.contains("\tset\t9\t") }
        #expect(try await watch.terminate() == .success)
    }

    /// The broker's absence is reported once, however long it lasts.
    @Test func aWatchWaitsForAnAbsentBroker() async throws {
        let broker = try await BrokerProcess.start()
        let watch = try await watch(["board"])
        try await broker.kill9()
        try await watch.errors.waitForLine { $0.contains("waiting for the broker") }
        try await broker.restart()
        _ = try await Tools.client(["set", "board", "behind it"]).succeeded()
        try await watch.waitForLine { $0.contains("\tset\t9\t") }
        #expect(try await watch.terminate() == .success)
        #expect(watch.errors.text.split(separator: "\n").filter { $0.contains("waiting for the broker") }.count == 1)
    }

    @Test func aLostBusIsReported() async throws {
        let broker = try await BrokerProcess.start()
        let watch = try await watch(["board"])
        let bus = try PrivateBus.current
        try await bus.kill()
        try await watch.errors.waitForLine { $0.contains("the message bus was lost; waiting for the bus") }
        try await bus.startAgain()
        try await broker.restart()
        _ = try await Tools.client(["set", "board", "text"]).succeeded()
        try await watch.waitForLine { $0.hasSuffix("\tset\t4\ttext/plain;charset=utf-8") }
        #expect(try await watch.terminate() == .success)
    }

    @Test func recordsMayEndWithNUL() async throws {
        let broker = try await BrokerProcess.start()
        for text in ["a", "b"] { _ = try await Tools.client(["set", text, text]).succeeded() }
        for options in [["-0"], ["--null"], ["-0", "--json"], ["-0", "--json=pretty"]] {
            let told = try await Tools.client(["watch", "a", "b", "--since", "0", "--count", "2"] + options)
            let records = told.output.split(separator: "\0", omittingEmptySubsequences: false)
            #expect(records.count == 3 && records[0].contains("a") && records[2].isEmpty, "\(told)")
        }
        withExtendedLifetime(broker) {}
    }

    /// The words of wl-clipboard's `CLIPBOARD_STATE`.
    @Test func aCommandGetsTheState() async throws {
        let broker = try await BrokerProcess.start()
        let watch = try await watch(["board", "--exec", "echo \"$IPC_STATE $(cat)\""])
        _ = try await Tools.client(["set", "board", "text"]).succeeded()
        try await watch.waitForLine { $0 == "data text" }
        _ = try await Tools.client(["set", "board", "--sensitive"], input: .text("secret")).succeeded()
        try await watch.waitForLine { $0 == "sensitive " }
        _ = try await Tools.client(["board", "clear", "board"]).succeeded()
        try await watch.waitForLine { $0 == "clear " }
        _ = try await Tools.client(["board", "remove", "board"]).succeeded()
        try await watch.waitForLine { $0 == "nil " }
        #expect(try await watch.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test func theContentIsInTheJSONOnRequest() async throws {
        let broker = try await BrokerProcess.start()
        let line = ["watch", "board", "--since", "0", "--count", "1", "--json"]
        _ = try await Tools.client(["set", "board", "text"]).succeeded()
        let text = try await Tools.client(line + ["--content"]).succeeded()
        #expect(text.output.contains(#""items":[[{"type":"text/plain;charset=utf-8","text":"text"}]]"#), "\(text)")
        // The control: no content without the option.
        #expect(try await !Tools.client(line).succeeded().output.contains("items\""))
        _ = try await Tools.client(["set", "board", "--type", "a/b"], input: .bytes([0xFF, 0xFE])).succeeded()
        #expect(try await Tools.client(line + ["--content"]).output.contains(#"[[{"type":"a/b","base64":"//4="}]]"#))
        // A value above 16 MiB is only described.
        let large = try PrivateBus.current.directory.appending("large")
        _ = try await RunningProcess.run("truncate", ["-s", "17M", large]).succeeded()
        _ = try await Tools.client(["set", "board", "--file", large, "--type", "a/b"]).succeeded()
        #expect(try await Tools.client(line + ["--content"]).output.contains(#"[[{"type":"a/b","size":"17825792"}]]"#))
        // A secret is not read, so its reader still gets it.
        _ = try await Tools.client(["set", "board", "--sensitive"], input: .text("secret")).succeeded()
        let secret = try await Tools.client(line + ["--content"]).succeeded()
        #expect(!secret.output.contains(#""items""#) && secret.output.contains(#""sensitive":true"#), "\(secret)")
        #expect(try await Tools.client(["get", "board"]).output == "secret")
        withExtendedLifetime(broker) {}
    }

    @Test func everyKeptVersionIsReportedOnRequest() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "board", "0"]).succeeded()
        _ = try await Tools.client(["board", "history", "board", "--keep", "3"]).succeeded()
        let counts = try await writeCounts(1...4)
        let line = ["watch", "board", "--since", counts[0], "--json"]
        let told = try await Tools.client(line + ["--every-version", "--count", "3"]).succeeded()
        #expect(try told.lines.map { try JSONText.string("change-count", in: $0) } == Array(counts[1...]))
        #expect(!told.output.contains("skipped"))
        // The control: without the option, only the newest version is reported.
        let newest = try await Tools.client(line + ["--count", "1"]).succeeded()
        #expect(try JSONText.string("change-count", in: newest.output) == counts[3])
        // The versions that are no longer kept are counted as skipped.
        let later = try await writeCounts(5...9)
        let rest = try await Tools.client(line + ["--every-version", "--count", "4"]).succeeded()
        #expect(try rest.lines.map { try JSONText.string("change-count", in: $0) } == Array(later.suffix(4)))
        #expect(try JSONText.string("skipped", in: rest.lines[0]) == "4")
        #expect(!rest.lines[1].contains("skipped"))
        withExtendedLifetime(broker) {}
    }

    private func writeCounts(_ texts: ClosedRange<Int>) async throws -> [String] {
        var counts: [String] = []
        for text in texts {
            let set = try await Tools.client(["set", "board", "--json", "\(text)"]).succeeded()
            counts.append(try JSONText.string("change-count", in: set.output))
        }
        return counts
    }

    @Test func anInvalidNameIsRejectedBeforeAnyOutput() async throws {
        let broker = try await BrokerProcess.start()
        let refused = try await Tools.client(["watch", ""])
        #expect(refused.status == .exited(65) && !refused.errors.contains("watching"), "\(refused)")
        withExtendedLifetime(broker) {}
    }
}
