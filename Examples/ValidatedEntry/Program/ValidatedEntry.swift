import ArgumentParser
import IPC
import Programs
import Terminal

@main
struct ValidatedEntry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validated-entry",
        abstract: "Ask the person at this terminal, for programs that open an entry: URL.",
        discussion: """
            entry://digits?n=4          at most 4 digits
            entry://decimal?places=2    a number with one or two decimal places
            entry://yen?sign=¥          ¥1,234; with sign=円 1,234円
            entry://time                14時05分
            """)

    @Option(help: "The URL scheme to handle.") var scheme = "entry"
    @Option(help: "Run this shell command, show its output, and exit when it exits.") var run: String?

    func run() async throws {
        let status = await Program.run {
            let terminal = try Terminal.open(.lines)
            defer { terminal.close() }
            let app = try await Application.connect(id: "com.example.ValidatedEntry", schemes: [URLScheme(scheme)])
            terminal.say("listening for \(scheme): URLs; Enter submits the answer, Escape declines, Control-C exits")
            let caller = run.map { command in
                Task {
                    let status = await ShellCommand.run(command, showing: { terminal.say($0) })
                    try await app.stopReceiving()
                    return status
                }
            }
            if let signal = try await answer(app, at: EntryDesk(terminal: terminal)) { terminal.end(by: signal) }
            let status = try await caller?.value ?? 0
            await app.close()
            return status
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// Answers requests one at a time.
    ///
    /// - Returns: the signal that ended it; `nil` if the application receives no more requests.
    private func answer(_ app: Application, at desk: EntryDesk) async throws -> Int32? {
        var watch = Watch(desk.terminal, app)
        for try await request in app.openURLs {
            _ = await watch.end()
            await request.handle { try await desk.answer($0) }
            watch = Watch(desk.terminal, app)
        }
        return await watch.end()
    }
}

/// Watches for Control-C between two questions. Keys pressed in that time are not passed on to the next question.
private struct Watch {
    private let task: Task<Int32?, Never>

    /// Starts watching; if the program is asked to exit, the application receives no more requests.
    init(_ terminal: Terminal, _ app: Application) {
        task = Task {
            let signal = await terminal.interruption()
            if signal != nil { try? await app.stopReceiving() }
            return signal
        }
    }

    /// Stops watching; returns the signal, if there was one.
    func end() async -> Int32? {
        task.cancel()
        return await task.value
    }
}
