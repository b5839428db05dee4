import ArgumentParser
import IPC
import Programs
import Prompts

@main
struct ConfirmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Show alerts at this terminal, for programs that open a confirm: URL.",
        discussion: """
            confirm://?title=Delete&message=3%20files&cancel=Keep&other=Delete
            confirm://?style=sheet&title=Delete&destructive=Delete&other=Move&cancel=Keep

            The reply is the index of the button, counted from 0, and its label. In an alert, the cancel button comes \
            first. In a sheet, the destructive button comes first, and the cancel button last.
            """)

    @Option(help: "The URL scheme to handle.") var scheme = "confirm"
    @Option(help: "Run this shell command, show its output, and exit when it exits.") var run: String?

    func run() async throws {
        let status = await Program.run {
            try await PromptScreen<AlertPrompt>.serve(id: "com.example.Confirm", URLScheme(scheme), running: run)
        }
        if status != 0 { throw ExitCode(status) }
    }
}
