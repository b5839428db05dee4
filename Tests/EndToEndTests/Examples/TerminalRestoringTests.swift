import Glibc
import IPCTesting
import Testing

/// “However the process ends, the terminal is as it was before.” A shell that runs the program checks this.
@Suite(.privateBus)
struct TerminalRestoringTests {
    /// Starts a shell with a function `c` that runs the demo client; returns the terminal and its settings before the
    /// client runs. The shell is Debian's dash, which does not repair the terminal itself as bash does.
    private func shell() async throws -> (terminal: TerminalSession, settings: String) {
        var environment = try PrivateBus.current.environment
        environment["PS1"] = "$ "
        // Otherwise, a crashed program would wait for the user's commands on the terminal.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let terminal = try await TerminalSession.start(
            "sh", ["-i"], columns: 200, rows: 12, environment: environment)
        let client = try Binaries.example("demo-client")
        try await terminal.type("c() { \(client); }; settings() { clear; stty -g; }; settings")
        try await terminal.press("Enter")
        return (terminal, try await settings(of: terminal))
    }

    private func settings(of terminal: TerminalSession) async throws -> String {
        // stty(1) -g: flags and control characters, about 20 of them.
        try await terminal.wait(for: "settings") { screen in
            screen.rows[0].split(separator: ":").count > 10 && screen.currentRow == "$"
        }.rows[0]
    }

    /// The current terminal settings of the shell.
    private func ask(_ terminal: TerminalSession) async throws -> String {
        try await terminal.type("settings")
        try await terminal.press("Enter")
        return try await settings(of: terminal)
    }

    private func runClient(in terminal: TerminalSession) async throws {
        try await terminal.type("clear; c")
        try await terminal.press("Enter")
        try await terminal.wait(for: "the field") { $0.currentRow == "text:" }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT])
    func `a signal restores the terminal`(signal: Int32) async throws {
        let broker = try await BrokerProcess.start()
        let (terminal, before) = try await shell()
        try await runClient(in: terminal)
        kill(try clientPID(of: terminal), signal)
        try await terminal.wait(for: "the shell") { $0.currentRow.hasSuffix("$") }
        #expect(try await ask(terminal) == before)
        withExtendedLifetime(broker) {}
    }

    @Test func `control: kill -9 does not restore the terminal`() async throws {
        let broker = try await BrokerProcess.start()
        let (terminal, before) = try await shell()
        try await runClient(in: terminal)
        try await ProcessStatus(pid: try clientPID(of: terminal)).kill9()
        let after = try await RunningProcess.run("sh", ["-c", "stty -g </proc/\(terminal.pid)/fd/0"]).succeeded()
        #expect(after.lines.count == 1 && after.lines != [before])
        withExtendedLifetime(broker) {}
    }

    @Test func `Control-Z restores the terminal, and fg takes it back`() async throws {
        let broker = try await BrokerProcess.start()
        let (terminal, before) = try await shell()
        try await terminal.type("clear; \(try Binaries.example("demo-client"))")
        try await terminal.press("Enter")
        try await terminal.wait(for: "the field") { $0.currentRow == "text:" }
        try await terminal.type("日本")
        try await terminal.wait(forText: "text: 日本")
        try await terminal.press("C-z")
        try await terminal.wait(forText: "Stopped")
        #expect(try await ask(terminal) == before)
        try await terminal.type("clear; fg")
        try await terminal.press("Enter")
        try await terminal.wait(for: "the field, with its text") { $0.currentRow == "text: 日本" }
        try await terminal.press("BSpace")
        try await terminal.wait(for: "one character less") { $0.currentRow == "text: 日" }
        withExtendedLifetime(broker) {}
    }

    private func clientPID(of terminal: TerminalSession) throws -> Int32 {
        let below = ProcessStatus(pid: terminal.pid).descendants
        return try #require(below.first { ProcessStatus(pid: $0).command == "demo-client" })
    }
}
