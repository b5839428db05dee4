import IPCTesting
import Testing

/// A person at a terminal answers `entry:` URLs from other programs.
@Suite(.privateBus)
struct ValidatedEntryTests {
    /// The program in a terminal, and the broker that it needs.
    private struct Scene {
        let broker: BrokerProcess
        let terminal: TerminalSession

        init() async throws {
            broker = try await BrokerProcess.start()
            terminal = try await TerminalSession.start(
                try Binaries.example("validated-entry"), columns: 100, rows: 20)
            try await terminal.wait(forText: "listening for entry:")
        }

        /// Opens a URL, as a script does, and returns when the question is on the screen.
        func ask(_ url: String, timeout: String = "60s") async throws -> RunningProcess {
            let caller = try await RunningProcess.start(
                try Binaries.path("ipc-client"), ["call", url, "--timeout", timeout], input: .none)
            try await terminal.wait(for: "a question") { $0.currentRow == ">" }
            return caller
        }

        /// Waits until the field shows exactly this text.
        func field(_ text: String) async throws {
            let row = text.isEmpty ? ">" : "> \(text)"
            try await terminal.wait(for: "“\(text)” in the field") { $0.currentRow == row }
        }
    }

    @Test func `a PIN is entered, and only valid input is accepted`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask("entry://digits?n=4")
        try await scene.terminal.wait(forText: "asks for at most 4 digits")
        try await scene.terminal.type("0x12３45")
        try await scene.field("0123")
        try await scene.terminal.press("BSpace")
        try await scene.terminal.paste("99")
        try await scene.terminal.paste("８")
        try await scene.field("0128")
        try await scene.terminal.press("Enter")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text == "0128")
    }

    @Test func `every kind of entry is formatted correctly`() async throws {
        let scene = try await Scene()
        let entries: [(url: String, typed: String, shown: String, given: String)] = [
            ("entry://number?n=4", "00１234", "1,234", "1,234"),
            ("entry://decimal?places=1", "１2.34", "12.3", "12.3"), ("entry://decimal", "1234", "1,234", "1,234.0"),
            ("entry://yen", "12345678円", "¥12,345,678", "¥12,345,678"),
            ("entry://time", "9:05", "9:05", "9:05"), ("entry://time", "1405", "14:05", "14:05"),
            ("entry://time?locale=en_US", "205p", "2:05\u{202F}P", "2:05\u{202F}PM"),
            ("entry://date", "2026/2/8", "2026/2/8", "2026/02/08"),
            ("entry://datetime", "202602281405", "2026/02/28 14:05", "2026/02/28 14:05"),
        ]
        for entry in entries {
            let caller = try await scene.ask(entry.url)
            try await scene.terminal.type(entry.typed)
            try await scene.field(entry.shown)
            try await scene.terminal.press("Enter")
            #expect(try await caller.wait() == .success, "\(entry)")
            #expect(caller.output.text == entry.given)
        }
    }

    @Test func `Enter accepts only complete entries, clearing is allowed, and Escape declines`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask("entry://decimal")
        try await scene.terminal.press("Enter")
        try await scene.terminal.wait(forText: "enter a value first")
        try await scene.terminal.type("1.")
        try await scene.field("1.")
        try await scene.terminal.press("Enter")
        try await scene.terminal.wait(forText: "“1.” is incomplete")
        #expect(try await !scene.terminal.screen.text.contains("no such"))
        try await scene.terminal.type("x")
        try await scene.terminal.wait(forText: "“x” is not allowed here")
        try await scene.terminal.press("Left", "C-u")
        try await scene.field("")
        #expect(caller.isRunning)
        try await scene.terminal.press("Escape")
        #expect(try await caller.wait() == .exited(2), "cancelled")
        #expect(caller.output.text.isEmpty)
        try await scene.terminal.wait(forText: "Not answered.")
    }

    @Test func `a date that does not exist can be corrected, but not submitted`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask("entry://date")
        try await scene.terminal.type("20260230")
        try await scene.field("2026/02/30")
        try await scene.terminal.press("Enter")
        try await scene.terminal.wait(forText: "“2026/02/30” is incomplete, or there is no such date")
        try await scene.terminal.press("BSpace", "BSpace", "2", "8", "Enter")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text == "2026/02/28")
    }

    @Test func `an hour that is too large is shown as it was typed, and refused`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask("entry://time")
        try await scene.terminal.type("24:00")
        try await scene.field("24:00")
        try await scene.terminal.press("Enter")
        try await scene.terminal.wait(forText: "“24:00” is incomplete, or there is no such time")
        try await scene.terminal.press("C-u")
        try await scene.terminal.type("午後2時5分")
        try await scene.field("午後2:5")
        try await scene.terminal.press("Enter")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text == "14:05")
    }

    @Test func `the reply has the value for programs too`() async throws {
        let scene = try await Scene()
        let caller = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["call", "entry://time?locale=en_US", "--json"], input: .none)
        try await scene.terminal.wait(forText: "asks for a time of day, such as 2:05\u{202F}PM")
        try await scene.terminal.type("205p")
        try await scene.terminal.press("Enter")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text.contains("14:05") && caller.output.text.contains("2:05\u{202F}PM"))
    }

    @Test func `the demo asks five questions and ends by itself`() async throws {
        let broker = try await BrokerProcess.start()
        let terminal = try await TerminalSession.start(
            ExamplePlace.folder("ValidatedEntry/demo"), columns: 100, environment: try ExamplePlace.programs)
        for (answered, typed) in ["００７", "2.55", "￥1234567", "2026228", "905"].enumerated() {
            try await terminal.wait(for: "the next question") { screen in
                screen.currentRow == ">" && screen.rows.filter { $0 == "Answered." }.count == answered
            }
            try await terminal.type(typed)
            try await terminal.press("Enter")
        }
        #expect(try await terminal.end() == .success)
        #expect(try await terminal.screen.text.contains("pin 007, 2.5 kg for ¥1,234,567, on 2026/02/28 at 9:05"))
        withExtendedLifetime(broker) {}
    }

    @Test func `a URL without a valid rule is rejected with the reason`() async throws {
        _ = try await Scene()
        let reasons = [
            "entry://digits?n=0": "n must be a number from 1 to 64", "entry://euro": "unknown kind of entry “euro”",
            "entry://yen?locale=fr_FR": "locale must be ja_JP or en_US",
        ]
        for (url, reason) in reasons {
            let caller = try await RunningProcess.run(try Binaries.path("ipc-client"), ["call", url])
            #expect(caller.status == .exited(70) && caller.errors.contains(reason), "\(caller)")
            #expect(caller.errors.contains("(bad-request)"), "\(caller)")
        }
    }

    @Test func `an abandoned question is removed, and its keys do not reach the next one`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask("entry://digits?n=4", timeout: "1s")
        try await scene.terminal.type("12")
        // The caller times out, or the program cancels the question, depending on whose clock is first.
        let status = try await caller.wait()
        #expect(status == .exited(75) || status == .exited(2), "\(status)")
        try await scene.terminal.wait(forText: "Not answered.")
        try await scene.terminal.type("34")
        let next = try await scene.ask("entry://digits?n=4")
        try await scene.terminal.type("5")
        try await scene.field("5")
        try await scene.terminal.press("Enter")
        #expect(try await next.wait() == .success)
        #expect(next.output.text == "5")
    }

    @Test func `Control-C stops the program and answers the waiting sender`() async throws {
        let scene = try await Scene()
        let caller = try await scene.ask("entry://time")
        try await scene.terminal.press("C-c")
        #expect(try await scene.terminal.end() == .signalled(2))
        #expect(try await caller.wait() == .exited(2))
    }

    @Test func `the output of the command stays on the terminal after the end`() async throws {
        let broker = try await BrokerProcess.start()
        let terminal = try await TerminalSession.start(
            try Binaries.example("validated-entry"), ["--run", "echo first; printf last; exit 3"])
        #expect(try await terminal.end() == .exited(3))
        let screen = try await terminal.screen
        #expect(screen.rows.prefix(3) == ["first", "last", ""])
        withExtendedLifetime(broker) {}
    }

    @Test func `a missing terminal is reported`() async throws {
        let output = try await RunningProcess.run(try Binaries.example("validated-entry"))
        #expect(output.status == .exited(69))
        #expect(output.errors.contains("standard input is not a terminal"))
    }
}
