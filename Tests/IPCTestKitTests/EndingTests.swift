import IPC
import IPCTestKit
import IPCTesting
import Testing

/// Everything that a private broker starts ends with the test.
@Suite(.timeLimit(.minutes(2)))
struct EndingTests {
    private struct Failure: Error {}

    /// The traces within the body. The control: the bus, the broker and a program with their environment are running.
    private func startProgram(_ broker: PrivateBroker) async throws -> Traces {
        let traces = Traces(broker)
        let program = try await RunningProcess.start(
            "sh", ["-c", "echo started; exec sleep 1000"], environment: broker.environment)
        try await program.waitForLine { $0 == "started" }
        #expect(traces.processes.count >= 3)
        #expect(traces.hasDirectory)
        return traces
    }

    private func expectEnd(of traces: Traces?) throws {
        let traces = try #require(traces)
        #expect(traces.processes == [])
        #expect(!traces.hasDirectory)
    }

    @Test func `nothing is left after the body returns`() async throws {
        let traces = try await withPrivateBroker { try await startProgram($0) }
        try expectEnd(of: traces)
    }

    @Test func `nothing is left after the body throws`() async throws {
        let seen = Observed<Traces?>(nil)
        await #expect(throws: Failure.self) {
            try await withPrivateBroker { broker in
                let traces = try await startProgram(broker)
                seen.update { $0 = traces }
                throw Failure()
            }
        }
        try expectEnd(of: seen.value)
    }

    @Test func `nothing is left after the task is cancelled`() async throws {
        let seen = Observed<Traces?>(nil)
        let test = Task {
            try await withPrivateBroker { broker in
                let handler = try await broker.handler(for: "notes") { _ in
                    try await Task.sleep(for: .seconds(1_000))
                    return []
                }
                try await broker.application("test.Caller").queue("notes:add")
                _ = try await handler.nextRequest()
                let traces = try await startProgram(broker)
                seen.update { $0 = traces }
                try await Task.sleep(for: .seconds(1_000))
            }
        }
        _ = try await seen.wait { $0 }
        test.cancel()
        await #expect(throws: CancellationError.self) { try await test.value }
        try expectEnd(of: seen.value)
    }

    @Test func `nothing is left if the task is cancelled while the broker starts`() async throws {
        let folder = try TemporaryDirectory("starts", below: "/tmp")
        defer { folder.remove() }
        let command = try BrokerCommand(.ofProcess)
        var endings: Set<Bool> = []
        for moment in 0..<12 {
            let start = Task { try await PrivateBroker.start(command, below: folder.path) }
            // The moments are spread over the start, which takes some 100 ms.
            try await Task.sleep(for: .milliseconds(moment * 20))
            start.cancel()
            let broker = try? await start.value
            await broker?.end()
            endings.insert(broker != nil)
            #expect(FileContents.names(in: folder.path) == [])
            #expect(Traces.processes(below: folder.path) == [])
        }
        #expect(endings.contains(false))
    }

    @Test(.privateBroker) func `a restarted broker keeps the store`() async throws {
        let broker = try PrivateBroker.current
        let before = Traces(broker).processes
        let app = try await broker.application("test.Writer")
        let board = try await app.pasteboard(named: "test.Writer", create: true, persistent: true)
        try await board.setString("kept")
        try await broker.restart()
        #expect(Traces(broker).processes.count == before.count)
        #expect(try await board.string == "kept")
    }
}
