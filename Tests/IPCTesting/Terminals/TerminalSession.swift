internal import Glibc

/// A terminal with a program in it; a test presses its keys and reads its screen.
///
/// It is a tmux server with its own socket. A client in control mode (tmux(1), “CONTROL MODE”) is notified whenever the
/// program writes, so that a waiting test checks the screen at once. When the client, a child of the test, exits, so do
/// tmux and the program.
package final class TerminalSession: Sendable {
    /// The program's process ID.
    package let pid: Int32
    private let directory: TemporaryDirectory
    private let client: RunningProcess
    private let environment: [String: String]?

    private init(directory: TemporaryDirectory, client: RunningProcess, environment: [String: String]?, pid: Int32) {
        self.directory = directory
        self.client = client
        self.environment = environment
        self.pid = pid
    }

    /// Starts a program in a new terminal. The screen keeps its content when the program exits.
    ///
    /// - Parameters:
    ///     - executable: an absolute path, or a name to look up in `PATH`.
    ///     - environment: the complete environment except `TERM`; `nil` means that of the test's private bus, or else
    ///       that of this process.
    /// - Throws: a ``HarnessError`` if there is no tmux, or it does not start.
    package static func start(
        _ executable: String, _ arguments: [String] = [], columns: Int = 80, rows: Int = 24,
        environment: [String: String]? = nil
    ) async throws -> TerminalSession {
        let directory = try TemporaryDirectory("terminal")
        try FileContents.write(configuration(columns, rows), to: directory.appending("tmux.conf"))
        // With "env", tmux uses no shell. The options are set after the program has started, because tmux 3.3 crashes
        // if they are set while there is no window.
        let program = ["env", executable] + arguments.map(escapingSemicolon)
        let settings = [";", "set", "-g", "window-size", "manual", ";", "set", "-g", "destroy-unattached", "on"]
        let client = try await RunningProcess.start(
            "tmux", tmuxArguments(directory) + ["-C", "new-session", "--"] + program + settings,
            environment: environment)
        try await client.waitForLine { $0.hasPrefix("%session-changed") }
        let pid = try await run(["display-message", "-p", "#{pane_pid}"], directory, environment)
        guard let pid = Int32(pid.dropLast()) else { throw HarnessError("tmux did not report the process id: \(pid)") }
        return TerminalSession(directory: directory, client: client, environment: environment, pid: pid)
    }

    private static func tmuxArguments(_ directory: TemporaryDirectory) -> [String] {
        ["-u", "-S", directory.appending("tmux"), "-f", directory.appending("tmux.conf")]
    }

    private static func configuration(_ columns: Int, _ rows: Int) -> String {
        """
        set -g status off
        set -s escape-time 0
        set -g default-size \(columns)x\(rows)
        set -g remain-on-exit on
        set -g remain-on-exit-format ''

        """
    }

    /// Runs a tmux command and returns its output.
    @discardableResult
    private static func run(
        _ command: [String], _ directory: TemporaryDirectory, _ environment: [String: String]?,
        deadline: Duration = usualDeadline
    ) async throws -> String {
        try await RunningProcess.run(
            "tmux", tmuxArguments(directory) + command, environment: environment, deadline: deadline
        ).succeeded().output
    }

    /// A semicolon at the end of an argument would start the next tmux command.
    private static func escapingSemicolon(_ word: String) -> String {
        word.hasSuffix(";") ? word.dropLast() + "\\;" : word
    }

    @discardableResult
    private func run(_ command: String..., deadline: Duration = usualDeadline) async throws -> String {
        try await Self.run(command, directory, environment, deadline: deadline)
    }

    /// Presses keys, named as in tmux(1), “KEY BINDINGS”: `Enter`, `BSpace`, `Up`, `C-c`, `Escape`, `PageDown`.
    package func press(_ keys: String...) async throws {
        for key in keys { try await run("send-keys", "--", key) }
    }

    /// Types text literally.
    package func type(_ text: String) async throws {
        try await run("send-keys", "-l", "--", Self.escapingSemicolon(text))
    }

    /// Pastes text as a terminal does: bracketed if the program asked for it, with `\r` for a line break.
    package func paste(_ text: String) async throws {
        try await run("set-buffer", "--", Self.escapingSemicolon(text))
        try await run("paste-buffer", "-p", "-d")
    }

    package func resize(columns: Int, rows: Int) async throws {
        try await run("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// The current content of the terminal.
    package var screen: TerminalScreen {
        get async throws {
            let format = "#{cursor_y} #{cursor_x} #{cursor_flag}"
            return try TerminalScreen(try await run("display-message", "-p", format, ";", "capture-pane", "-p"))
        }
    }

    /// Waits until the screen meets the condition, and returns it.
    ///
    /// - Throws: ``DeadlineExceeded`` with the screen.
    @discardableResult
    package func wait(
        for what: String, deadline: Duration = usualDeadline,
        until isThere: @escaping @Sendable (TerminalScreen) -> Bool
    ) async throws -> TerminalScreen {
        // Read the screen once before the deadline starts, so that the error shows a screen even on a busy machine.
        let last = Observed(try await screen)
        return try await withDeadline("\(what) on the terminal", limit: deadline, seen: "It shows:\n\(last.value.text)")
        {
            while !isThere(last.value) {
                // tmux may report output that the last read has already shown. This costs an extra read, but no output
                // is missed.
                try await self.client.output.waitForLine(deadline: deadline * 2) { $0.hasPrefix("%output") }
                let screen = try await self.screen
                last.update { $0 = screen }
            }
            return last.value
        }
    }

    /// Waits until the text appears somewhere on the screen. Throws the same errors as ``wait(for:deadline:until:)``.
    @discardableResult
    package func wait(forText text: String, deadline: Duration = usualDeadline) async throws -> TerminalScreen {
        try await wait(for: "“\(text)”", deadline: deadline) { $0.text.contains(text) }
    }

    package func signal(_ number: Int32) { kill(pid, number) }

    /// Waits for the program to exit.
    package func end(deadline: Duration = usualDeadline) async throws -> ExitStatus {
        try await ProcessStatus(pid: pid).waitForEnd()
        // tmux 3.3, the parent of the program, may have missed SIGCHLD: it checks again when it gets another SIGCHLD.
        let words = try await withDeadline("the exit status in tmux", limit: deadline) {
            while true {
                let format = "#{pid} #{pane_dead_signal} #{pane_dead_status}"
                let told = try await self.run("display-message", "-p", format).dropLast()
                let words = told.split(separator: " ", omittingEmptySubsequences: false)
                if words.dropFirst().contains(where: { !$0.isEmpty }) { return words.dropFirst().map(String.init) }
                if let server = words.first.flatMap({ Int32($0) }) { kill(server, SIGCHLD) }
            }
        }
        guard words.count == 2, let number = words.lazy.compactMap({ Int32($0) }).first else {
            throw HarnessError("tmux did not report an exit status: \(words)")
        }
        return words[0].isEmpty ? .exited(number) : .signalled(number)
    }
}
