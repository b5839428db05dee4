import Glibc
import IPCTesting
import Testing

/// A person at a terminal answers the alerts of `confirm:` URLs from other programs.
@Suite(.privateBus)
struct ConfirmTests {
    /// The program in a terminal, and the broker that it needs.
    private struct Scene {
        let broker: BrokerProcess
        let terminal: TerminalSession

        init(_ arguments: [String] = []) async throws {
            broker = try await BrokerProcess.start()
            terminal = try await TerminalSession.start(
                try Binaries.example("confirm"), arguments, columns: 80, rows: 20)
            try await terminal.wait(forText: "listening for confirm:")
        }

        /// Opens a URL, as a script does.
        func call(_ query: String, _ options: String...) async throws -> RunningProcess {
            let arguments = ["call", "confirm://?\(query)", "--timeout", "60s"] + options
            return try await RunningProcess.start(try Binaries.path("ipc-client"), arguments, input: .none)
        }

        /// Opens a URL, and returns when its alert is on the screen.
        func ask(_ query: String, showing text: String) async throws -> RunningProcess {
            let caller = try await call(query)
            try await terminal.wait(forText: text)
            return caller
        }

        /// Waits until no alert is open.
        func waitUntilClosed() async throws {
            try await terminal.wait(for: "no alert") { $0.rows[0].contains("listening") }
        }
    }

    private static let delete = "title=Delete%203%20files%3F&message=No%20way%20back.&cancel=Keep&other=Delete"

    @Test func `the caller gets the index of the button`() async throws {
        let scene = try await Scene()
        let answers: [(keys: [String], index: String)] = [
            (["d"], "1"), (["K"], "0"), (["Right", "Enter"], "1"), (["Enter"], "0"), (["Escape"], "0"),
            (["x", "Tab", "BTab", "Tab", "Enter"], "1"),
        ]
        for answer in answers {
            let caller = try await scene.ask(Self.delete, showing: "Delete 3 files?")
            let screen = try await scene.terminal.wait(forText: "[Keep: k]  [Delete: d]")
            #expect(screen.rows[0] == " demo.IPCClient (claimed) asks" && screen.text.contains("No way back."))
            for key in answer.keys { try await scene.terminal.press(key) }
            #expect(try await caller.wait() == .success, "\(answer)")
            #expect(caller.output.text == answer.index, "\(answer)")
            try await scene.waitUntilClosed()
        }
    }

    @Test func `the reply has the label too`() async throws {
        let scene = try await Scene()
        let caller = try await scene.call(Self.delete, "--json")
        try await scene.terminal.wait(forText: "Delete 3 files?")
        try await scene.terminal.press("d")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text.contains("\"Delete\""), "\(caller.output.text)")
        try await scene.terminal.wait(forText: "demo.IPCClient (claimed): Delete 3 files? → Delete")
    }

    @Test func `a sheet comes from the bottom`() async throws {
        let scene = try await Scene()
        let query = "style=sheet&title=Photo%20犬&destructive=Delete&other=Move&cancel=Keep"
        let caller = try await scene.ask(query, showing: "Photo 犬")
        let screen = try await scene.terminal.wait(forText: "[k] Keep")
        #expect(screen.rows.filter { !$0.isEmpty }.suffix(3) == ["  [d] Delete", "  [m] Move", "  [k] Keep"])
        try await scene.terminal.press("Up", "Enter")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text == "1")
    }

    @Test func `the alert of a caller that gives up disappears, and its keys do not reach the next one`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask(Self.delete, showing: "Delete 3 files?")
        try await scene.terminal.press("Right")
        caller.signal(SIGINT)
        #expect(try await caller.wait() == .exited(2), "cancelled")
        try await scene.waitUntilClosed()
        try await scene.terminal.wait(for: "no alert") {
            $0.text.contains("Delete 3 files? → not answered") && !$0.text.contains("[Keep: k]")
        }
        // Nobody is asked at this moment, so these keys are forgotten.
        try await scene.terminal.press("Right", "d")
        let next = try await scene.ask(Self.delete, showing: "[Keep: k]")
        try await scene.terminal.press("Enter")
        #expect(try await next.wait() == .success)
        #expect(next.output.text == "0")
    }

    @Test func `two questions at once are asked one after the other`() async throws {
        let scene = try await Scene()
        let first = try await scene.ask("title=First&cancel=No&other=Yes", showing: "First")
        let second = try await scene.call("title=Second&cancel=No&other=Yes")
        try await withDeadline("the second request in the broker") {
            while try await !Tools.client(["request", "list"]).succeeded().output.contains("Second") {}
        }
        #expect(try await !scene.terminal.screen.text.contains("Second"))
        try await scene.terminal.press("y")
        #expect(try await first.wait() == .success)
        #expect(first.output.text == "1")
        try await scene.terminal.wait(forText: "│ Second")
        try await scene.terminal.press("n")
        #expect(try await second.wait() == .success)
        #expect(second.output.text == "0")
    }

    @Test func `a URL without a valid question is rejected with the reason`() async throws {
        let scene = try await Scene()
        let reasons = [
            "cancel=Keep": "the URL has no title", "title=Delete": "the URL has no buttons",
            "title=a&cancel=b&other=c&other=d&other=e": "4 buttons are too many",
            "title=a%1B%5B2J&cancel=b": "title contains a control character",
        ]
        for (query, reason) in reasons {
            let caller = try await scene.call(query)
            #expect(try await caller.wait() == .exited(70))
            #expect(caller.errors.text.contains(reason) && caller.errors.text.contains("(bad-request)"))
        }
        let other = try await Tools.client(["call", "confirm:other?\(Self.delete)"])
        #expect(other.status == .exited(70) && other.errors.contains("text before “?”"), "\(other)")
        #expect(try await scene.terminal.screen.rows[0].contains("listening"))
    }

    @Test func `if the program ends, the caller learns that nobody answered`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask(Self.delete, showing: "Delete 3 files?")
        try await scene.terminal.press("C-c")
        #expect(try await scene.terminal.end() == .signalled(2))
        #expect(try await caller.wait() == .exited(2))
    }

    @Test func `the program ends with its script, even while another program asks`() async throws {
        let directory = try TemporaryDirectory("confirm")
        let pipe = directory.appending("pipe")
        _ = try await RunningProcess.run("mkfifo", [pipe]).succeeded()
        let scene = try await Scene(["--run", "cat '\(pipe)'; exit 3"])
        let caller = try await scene.ask(Self.delete, showing: "Delete 3 files?")
        _ = try await RunningProcess.run("sh", ["-c", "echo the script ends > '\(pipe)'"]).succeeded()
        #expect(try await scene.terminal.end() == .exited(3))
        #expect(try await caller.wait() == .exited(2))
        #expect(try await scene.terminal.screen.text.contains("the script ends"))
    }

    @Test func `the script of the README deletes only after a yes`() async throws {
        let broker = try await BrokerProcess.start()
        for (key, line) in [("d", "deleted 3 files"), ("Escape", "kept 3 files")] {
            let terminal = try await TerminalSession.start(
                ExamplePlace.folder("Confirm/demo"), environment: try ExamplePlace.programs)
            try await terminal.wait(forText: "Delete 3 files?")
            try await terminal.press(key)
            #expect(try await terminal.end() == .success)
            #expect(try await terminal.screen.text.contains(line))
        }
        withExtendedLifetime(broker) {}
    }
}
