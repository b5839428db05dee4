import Glibc
import IPCTesting
import Testing

/// “However the process ends, the terminal is as it was before.” A shell that runs the program checks this.
@Suite(.privateBus)
struct TerminalRestoringTests {
    /// Starts a shell with a function `c` that runs validated-entry; returns the terminal and its settings before the
    /// program runs. The shell is Debian's dash, which does not repair the terminal itself as bash does.
    private func shell() async throws -> (terminal: TerminalSession, settings: String) {
        var environment = try PrivateBus.current.environment
        environment["PS1"] = "$ "
        // Otherwise, a crashed program would wait for the user's commands on the terminal.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let terminal = try await TerminalSession.start(
            "sh", ["-i"], columns: 200, rows: 12, environment: environment)
        let program = try Binaries.example("validated-entry")
        try await terminal.type("c() { \(program); }; settings() { clear; stty -g; }; settings")
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

    private func runProgram(in terminal: TerminalSession) async throws {
        try await terminal.type("clear; c")
        try await terminal.press("Enter")
        try await terminal.wait(forText: "listening for entry:")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT])
    func `a signal restores the terminal`(signal: Int32) async throws {
        let broker = try await BrokerProcess.start()
        let (terminal, before) = try await shell()
        try await runProgram(in: terminal)
        kill(try programPID(of: terminal), signal)
        try await terminal.wait(for: "the shell") { $0.currentRow.hasSuffix("$") }
        #expect(try await ask(terminal) == before)
        withExtendedLifetime(broker) {}
    }

    @Test func `control: kill -9 does not restore the terminal`() async throws {
        let broker = try await BrokerProcess.start()
        let (terminal, before) = try await shell()
        try await runProgram(in: terminal)
        try await ProcessStatus(pid: try programPID(of: terminal)).kill9()
        let after = try await RunningProcess.run("sh", ["-c", "stty -g </proc/\(terminal.pid)/fd/0"]).succeeded()
        #expect(after.lines.count == 1 && after.lines != [before])
        withExtendedLifetime(broker) {}
    }

    @Test func `Control-Z restores the terminal, and fg takes it back`() async throws {
        let broker = try await BrokerProcess.start()
        let (terminal, before) = try await shell()
        try await terminal.type("clear; \(try Binaries.example("validated-entry"))")
        try await terminal.press("Enter")
        try await terminal.wait(forText: "listening for entry:")
        let caller = try await RunningProcess.start(
            try Binaries.path("ipc-client"), ["call", "entry://digits?n=4", "--timeout", "60s"], input: .none)
        try await terminal.wait(for: "the field") { $0.currentRow == ">" }
        try await terminal.type("12")
        try await terminal.wait(forText: "> 12")
        try await terminal.press("C-z")
        try await terminal.wait(forText: "Stopped")
        #expect(try await ask(terminal) == before)
        try await terminal.type("clear; fg")
        try await terminal.press("Enter")
        try await terminal.wait(for: "the field, with its text") { $0.currentRow == "> 12" && $0.rows[0] != "" }
        try await terminal.press("BSpace", "Enter")
        #expect(try await caller.wait() == .success)
        #expect(caller.output.text == "1")
        withExtendedLifetime(broker) {}
    }

    private func programPID(of terminal: TerminalSession) throws -> Int32 {
        let below = ProcessStatus(pid: terminal.pid).descendants
        return try #require(below.first { ProcessStatus(pid: $0).command == "validated-entry" })
    }
}
