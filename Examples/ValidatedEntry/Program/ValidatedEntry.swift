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
            entry://digits?n=4          at most 4 digits; 0070
            entry://number?n=4          a whole number of at most 4 digits; 1,234
            entry://decimal?places=2    a number with one or two decimal places; 1,234.5
            entry://yen                 ¥1,234
            entry://time                14:05, or 2:05 PM with locale=en_US
            entry://date                2026/12/31
            entry://datetime            2026/12/31 14:05

            Each takes locale=ja_JP, which is the default, or locale=en_US.
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
