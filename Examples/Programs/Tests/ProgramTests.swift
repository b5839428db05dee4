import Glibc
import IPC
import Testing

@testable import Programs

/// How programs exit when something fails. Each test runs its program in a separate process.
struct ProgramTests {
    private struct Named: HandlerError, ExitCodeError {
        let code = "no-list"
        let message = "there is no list"
        let exitCode: Int32 = 66
    }

    private struct Unknown: Error, CustomStringConvertible { let description = "broken" }

    @Test func anErrorIsASentenceAndAnExitCode() async throws {
        let ended = try #require(
            await #expect(processExitsWith: .exitCode(68), observing: [\.standardErrorContent]) {
                await Program.run { throw IPCError(.noHandler, "nobody\u{1B}[2J") }
            })
        let text = String(decoding: ended.standardErrorContent, as: UTF8.self)
        // The escape sequence in the message is shown as text, and does not reach the terminal.
        #expect(text.contains(": nobody\\u{1B}[2J\n") && !text.contains("\u{1B}"))
        await #expect(processExitsWith: .exitCode(66)) { await Program.run { throw Named() } }
        // For comparison: a program that does not fail exits with 0.
        await #expect(processExitsWith: .success) { exit(await Program.run { 0 }) }
    }

    @Test(arguments: [
        ("a\n\tb\u{9B}1m", #"a\n\tb\u{009B}1m"#),
        ("gpj.\u{202E}exe\u{2066}\u{061C}", #"gpj.\u{202E}exe\u{2066}\u{061C}"#),
        ("a\u{2028}b", #"a\u{2028}b"#), ("京都 👨‍👩‍👧 e\u{301} «a» \\", "京都 👨‍👩‍👧 e\u{301} «a» \\"),
    ])
    func charactersThatChangeTheTerminalAreEscaped(_ text: String, _ printed: String) {
        #expect(Program.printable(text) == printed)
    }

    @Test func exitCodesMatchTheLibrary() {
        #expect(Program.exitCode(of: IPCError(.noSuchItem, "")) == 66)
        #expect(Program.exitCode(of: IPCError(.noHandler, "")) == 68)
        #expect(Program.exitCode(of: Unknown()) == 70)
    }
}
