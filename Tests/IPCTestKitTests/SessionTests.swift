import IPC
import IPCDBus
import IPCTestKit
import IPCTesting
import Testing

/// A test sees its own bus and home directory, and no others.
@Suite(.timeLimit(.minutes(1)))
struct SessionTests {
    @Test func `tests in parallel do not see each other`() async throws {
        let urls = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<4 {
                group.addTask {
                    try await withPrivateBroker { broker in
                        let handler = try await broker.handler(for: "notes", id: "test.Notes")
                        let caller = try await Application.connect(id: "test.Caller")
                        #expect(try await caller.open("notes:\(number)").outcome == .handled)
                        return handler.requests.map(\.url)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(urls) == [["notes:0"], ["notes:1"], ["notes:2"], ["notes:3"]])
    }

    @Test(.privateBroker, arguments: 0..<3) func `each case has a broker of its own`(number: Int) async throws {
        let app = try await PrivateBroker.current.application("test.Caller")
        #expect(try await app.pasteboards(prefix: "test.").all().isEmpty)
        _ = try await app.pasteboard(named: "test.Board", create: true)
        #expect(try await app.pasteboards(prefix: "test.").all().count == 1)
    }

    @Test func `a test without a broker is told so`() async throws {
        let error = #expect(throws: (any Error).self) { try PrivateBroker.current }
        #expect("\(try #require(error))".contains(".privateBroker"))
    }

    @Test(.privateBroker) func `a desktop link is written to the private home`() async throws {
        let broker = try PrivateBroker.current
        let app = try await Application.connect(id: "test.Linked")
        var options = DesktopOptions()
        (options.command, options.opener) = ("/bin/true", "/bin/true")
        _ = try await app.registerOnDesktop(["test-link"], options: options)
        let data = try #require(broker.environment["XDG_DATA_HOME"])
        #expect(FileContents.exists("\(data)/applications/test.Linked.desktop"))
        await app.close()
    }

    @MainActor @Test func `a test on the main actor stays there`() async throws {
        var count = 0
        try await withPrivateBroker { _ in
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 1)
    }

    /// The connection reconnects on the I/O thread, which has no task and therefore no session of the test.
    @Test(.privateBus) func `a connection that was opened in a session stays on its bus`() async throws {
        let bus = try PrivateBus.current
        let connection = try await SessionEnvironment.$ofTest.withValue(bus.environment) {
            try await Connection.open(.session, reconnects: true)
        }
        let before = try await connection.busID()
        try await bus.startAgain()
        let after = try await withDeadline("a connection to the new bus") {
            while true {
                try Task.checkCancellation()
                if let id = try? await connection.busID() { return id }
                await Task.yield()
            }
        }
        #expect(after != before)
        await connection.close()
    }

    /// The control: only the tasks of the test are in its session.
    @Test(.privateBroker) func `a detached task is not in the private session`() async throws {
        #expect(SessionEnvironment.ofTest?["HOME"] == (try PrivateBroker.current.environment["HOME"]))
        #expect(await Task { SessionEnvironment.ofTest != nil }.value)
        #expect(await Task.detached { SessionEnvironment.ofTest == nil }.value)
    }
}
