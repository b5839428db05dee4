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
        let status = await Program.run { try await Self.serve(URLScheme(scheme), running: run) }
        if status != 0 { throw ExitCode(status) }
    }

    /// Answers requests one at a time, until the user exits or the command does.
    ///
    /// - Returns: the exit status of the command.
    @MainActor
    private static func serve(_ scheme: URLScheme, running command: String?) async throws -> Int32 {
        let terminal = try Terminal.open()
        let screen = EntryScreen(terminal, scheme: "\(scheme)")
        defer { screen.close() }
        let app = try await Application.connect(id: "com.example.ValidatedEntry", schemes: [scheme])
        let keys = Task {
            guard let signal = await screen.run() else { return nil as Int32? }
            try await app.stopReceiving()
            return signal
        }
        let caller = command.map { command in
            Task {
                let (lines, output) = AsyncStream.makeStream(of: String.self)
                let status = Task {
                    defer { output.finish() }
                    return await ShellCommand.run(command, showing: { output.yield($0) })
                }
                for await line in lines { screen.say(line) }
                try await app.stopReceiving()
                return await status.value
            }
        }
        for try await request in app.openURLs { await request.handle { try await screen.answer($0) } }
        terminal.close()
        if let signal = try await keys.value {
            screen.close()
            terminal.end(by: signal)
        }
        let status = try await caller?.value ?? 0
        await app.close()
        return status
    }
}
