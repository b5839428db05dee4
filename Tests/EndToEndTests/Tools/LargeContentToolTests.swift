import Glibc
import IPCTesting
import Testing

/// Content above 64 KiB travels as a descriptor, from and to pipes and files.
@Suite(.privateBus)
struct LargeContentToolTests {
    private static let sizes = [65_535, 65_536, 65_537, 1 << 20, TestSize.pick(small: 20 << 20, full: 1 << 30)]

    /// A file of this size whose bytes depend on their position.
    private func file(_ size: Int) async throws -> String {
        let path = try PrivateBus.current.directory.appending("input-\(size)")
        let script = "head -c \(size) /dev/urandom > \(path)"
        _ = try await RunningProcess.run("sh", ["-c", script]).succeeded()
        return path
    }

    @Test(arguments: sizes)
    func contentTravelsThroughFilesAndPipesUnchanged(_ size: Int) async throws {
        let broker = try await BrokerProcess.start()
        let (client, input) = (try Binaries.path("ipc-client"), try await file(size))
        let output = try PrivateBus.current.directory.appending("output")
        let ways = [
            "\(client) set board --file \(input) && \(client) get board --output \(output)",
            "\(client) set board < \(input) && \(client) get board > \(output)",
            "cat \(input) | \(client) set board && \(client) get board | cat > \(output)",
            "\(client) set board --file \(input) && : > \(output) && \(client) get board >> \(output)",
        ]
        for way in ways {
            let run = try await RunningProcess.run("sh", ["-c", "\(way) && cmp \(input) \(output)"])
            #expect(run.status == .success && run.errors.isEmpty, "\(way): \(run)")
        }
        withExtendedLifetime(broker) {}
    }

    @Test func aValueThatCanNeverFitIsInvalidInput() async throws {
        let broker = try await BrokerProcess.start()
        let path = try PrivateBus.current.directory.appending("sparse")
        _ = try await RunningProcess.run("truncate", ["-s", "5G", path]).succeeded()
        for command in [["send", "--file", path], ["set", "board", "--file", path], ["copy", "--file", path]] {
            let refused = try await Tools.client(command)
            #expect(refused.status == .exited(65), "\(refused)")
            #expect(refused.errors.contains("5.0 GiB exceeds the limit of 4 GiB"), "\(refused)")
        }
        let json = try await Tools.client(["send", "--json", "--file", path])
        #expect(json.errors.contains(#""error":"LimitExceeded""#), "\(json)")
        #expect(json.errors.contains(#""exit-code":65"#), "\(json)")
        withExtendedLifetime(broker) {}
    }

    @Test func aReachedLimitIsATemporaryFailure() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "pasteboards=2"]
        let broker = try await BrokerProcess.start(settings)
        _ = try await Tools.client(["set", "one", "x"]).succeeded()
        let refused = try await Tools.client(["set", "two", "x"])
        #expect(refused.status == .exited(75) && refused.errors.contains("is reached"), "\(refused)")
        withExtendedLifetime(broker) {}
    }

    /// The payload exceeds the limit on waiting bytes in memory, which does not apply to queued requests.
    @Test func aQueuedPayloadThatFitsLaterIsTriedAgain() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "pending-bytes-per-handler=200000", "--limit", "waiting-bytes=65536"]
        let broker = try await BrokerProcess.start(settings)
        let application = "com.example.Notes"
        let claim = ["scheme", "register", "notes", "--application", application, "--persistent", "--no-desktop"]
        _ = try await Tools.client(claim).succeeded()
        _ = try await Tools.client(["set", "board", String(repeating: "x", count: 80_000)]).succeeded()
        let open = ["open", "--queue", "--pasteboard", "board", "--to", application, "notes:x"]
        for _ in 0..<2 { _ = try await Tools.client(open).succeeded() }
        let refused = try await Tools.client(open)
        #expect(refused.status == .exited(75), "\(refused)")
        #expect(refused.errors.contains("the limit “pending-bytes-per-handler” is reached"), "\(refused)")
        withExtendedLifetime(broker) {}
    }

    /// If another command has already read the start of a file, only the rest of it becomes content.
    @Test func aPartlyReadFileIsUsedFromItsPosition() async throws {
        let broker = try await BrokerProcess.start()
        let client = try Binaries.path("ipc-client")
        let path = try PrivateBus.current.directory.appending("lines")
        try FileContents.write("first line\n" + String(repeating: "rest ", count: 40_000), to: path)
        let script = "{ IFS= read -r line; \(client) set board; } < \(path); \(client) get board | wc -c"
        let counted = try await RunningProcess.run("sh", ["-c", script]).succeeded()
        #expect(counted.output.trimmingPrefix { $0 == " " }.hasPrefix("200000"))
        withExtendedLifetime(broker) {}
    }

    @Test func aNewlineIsTrimmedFromLargeContentToo() async throws {
        let broker = try await BrokerProcess.start()
        let path = try PrivateBus.current.directory.appending("lines")
        try FileContents.write(String(repeating: "x", count: 100_000) + "\n", to: path)
        _ = try await Tools.client(["set", "board", "--file", path, "--trim-newline"]).succeeded()
        #expect(try await Tools.client(["get", "board"]).outputBytes.count == 100_000)
        #expect(try await Tools.client(["get", "board", "--list-types"]).output == "text/plain;charset=utf-8\n")
        withExtendedLifetime(broker) {}
    }

    @Test func aCommandReadsContentFromStandardInput() async throws {
        let broker = try await BrokerProcess.start()
        let input = try await file(300_000)
        _ = try await Tools.client(["set", "board", "--file", input]).succeeded()
        let told = try await Tools.client([
            "watch", "board", "--since", "0", "--count", "1", "--exec", "cmp - \(input) && echo same",
        ])
        #expect(told.output == "same\n", "\(told)")
        withExtendedLifetime(broker) {}
    }

    /// I16: the tool holds no copy of the content that it passes on.
    @Test func aFileUsesNoMemoryOfTheTool() async throws {
        let broker = try await BrokerProcess.start()
        let input = try await file(64 << 20)
        let client = try Binaries.path("ipc-client")
        func peak(_ command: String) async throws -> Int {
            let run = try await RunningProcess.run(
                "/usr/bin/env", ["python3", "-c", Self.measure, "sh", "-c", command])
            return try #require(Int(run.errors.split(separator: "\n").last ?? ""))
        }
        let small = try await peak("exec \(client) set board x")
        #expect(try await peak("exec \(client) set board --type application/x-large --file \(input)") < small + 8_192)
        #expect(try await peak("exec \(client) get board > /dev/null") < small + 8_192)
        withExtendedLifetime(broker) {}
    }

    /// Runs a command and prints its peak memory in KiB.
    private static let measure = """
        import resource, subprocess, sys
        subprocess.run(sys.argv[1:], check=True)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
        """
}
