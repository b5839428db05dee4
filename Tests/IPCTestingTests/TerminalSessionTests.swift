import IPCTesting
import Testing

@Suite struct TerminalSessionTests {
    private func shell(_ script: String) async throws -> TerminalSession {
        try await TerminalSession.start("bash", ["--norc", "-c", script], columns: 40, rows: 5)
    }

    @Test func `keys, text and pastes arrive, and the screen shows the result`() async throws {
        try await withProcessScope {
            let terminal = try await shell("read -r word; echo \"got $word;\"; stty size; exit 3")
            try await terminal.type("日本x")
            try await terminal.press("BSpace")
            try await terminal.paste("語 = ;")
            let screen = try await terminal.wait(forText: "日本語 = ;")
            #expect(screen.cursorColumn == 10 && screen.cursorRow == 0)
            try await terminal.press("Enter")
            #expect(try await terminal.end() == .exited(3))
            let last = try await terminal.screen
            #expect(Array(last.rows[..<3]) == ["日本語 = ;", "got 日本語 = ;;", "5 40"])
        }
    }

    @Test func `a wait sees output that is written after it started`() async throws {
        try await withProcessScope {
            let terminal = try await shell("read -r; echo first; read -r; echo second; read -r")
            async let seen = terminal.wait(forText: "second")
            try await terminal.press("Enter")
            try await terminal.wait(forText: "first")
            try await terminal.press("Enter")
            #expect(try await seen.rows.contains("second"))
        }
    }

    @Test func `if the text never appears, the error shows the screen`() async throws {
        try await withProcessScope {
            let terminal = try await shell("echo something else; read -r")
            try await terminal.wait(forText: "something else")
            let error = await #expect(throws: DeadlineExceeded.self) {
                try await terminal.wait(forText: "never", deadline: .seconds(3))
            }
            #expect(error?.description.contains("something else") == true)
        }
    }

    @Test func `a new size and an exit by a signal are reported`() async throws {
        try await withProcessScope {
            let terminal = try await shell("trap 'stty size' WINCH; echo ready; while :; do read -r -t 0.1; done")
            try await terminal.wait(forText: "ready")
            try await terminal.resize(columns: 30, rows: 8)
            try await terminal.wait(forText: "8 30")
            terminal.signal(9)
            #expect(try await terminal.end() == .signalled(9))
        }
    }

    @Test func `tmux and the program exit with the test`() async throws {
        let pid = try await withProcessScope { try await shell("trap '' HUP; echo ready; read -r").pid }
        try await ProcessStatus(pid: pid).waitForEnd()
    }
}
