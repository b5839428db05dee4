import IPCTesting
import Testing

/// The README's handler in Swift, which `make` builds as an example, and its sender in Python.
@Suite(.privateBus)
struct ReadmeProgramsTests {
    /// The README's first block in a language that starts with `beginning`.
    private func block(_ language: String, _ beginning: String) throws -> String {
        let text = try FileContents.text(ExamplePlace.folder("../README.md"))
        let blocks = text.split(separator: "```\(language)\n").dropFirst().compactMap {
            $0.split(separator: "```").first.map(String.init)
        }
        return try #require(blocks.first { $0.hasPrefix(beginning) })
    }

    @Test func `the example Notes is the handler of the README`() throws {
        #expect(try FileContents.text(ExamplePlace.folder("Notes/main.swift")) == block("swift", "import Glibc\n"))
    }

    @Test func `the handler answers the sender`() async throws {
        _ = try await BrokerProcess.start()
        // A Swift program buffers its output to a pipe, so stdbuf makes it write line by line.
        let handler = try await RunningProcess.start(
            "stdbuf", ["-oL", try Binaries.example("notes")], environment: try ExamplePlace.environment, input: .none)
        _ = try await Tools.client(["scheme", "can-open", "com.example.notes:", "--wait", "30s"]).succeeded()
        let sent = try await RunningProcess.run("/usr/bin/python3", ["-c", block("python", "import dbus")])
        #expect(sent.status == .success && sent.output == "handled noted\n", "\(sent)")
        let line = try #require(try await handler.nextLine())
        #expect(line.hasPrefix("com.example.notes:add ") && line.hasSuffix(" buy milk"), "\(line)")
        await handler.end()
    }

    @Test func `without a bus, the handler prints one line and exits with 1`() async throws {
        var environment = try ExamplePlace.environment
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere/bus"
        let ended = try await RunningProcess.run(try Binaries.example("notes"), environment: environment)
        #expect(ended.status == .exited(1) && ended.errors.isEmpty, "\(ended)")
        #expect(ended.lines.count == 1 && ended.output.hasPrefix("there is no session bus"), "\(ended)")
    }
}
