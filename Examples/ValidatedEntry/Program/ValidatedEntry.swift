import ArgumentParser
import IPC
import Programs
import Prompts

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
        let status = await Program.run {
            try await PromptScreen<EntryPrompt>.serve(
                id: "com.example.ValidatedEntry", URLScheme(scheme), running: run)
        }
        if status != 0 { throw ExitCode(status) }
    }
}
