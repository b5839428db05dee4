import Glibc
import IPCTesting

/// A scene program in a terminal, with a broker and other programs that open its URLs.
struct SceneTerminal {
    let terminal: TerminalSession
    private let command: [String]
    private let broker: BrokerProcess

    /// Starts a broker and the program, and waits for a text on its screen.
    static func start(_ program: String, showing text: String) async throws -> SceneTerminal {
        try await start([try Binaries.example(program)], showing: text, broker: try await BrokerProcess.start())
    }

    /// Runs a command that becomes the program, and waits for a text on its screen.
    static func start(_ command: [String], showing text: String, broker: BrokerProcess) async throws -> SceneTerminal {
        let terminal = try await TerminalSession.start(command[0], Array(command.dropFirst()))
        try await terminal.wait(forText: text)
        return SceneTerminal(terminal: terminal, command: command, broker: broker)
    }

    /// The program's reply to a URL.
    /// - Throws: a ``HarnessError`` if it does not handle the URL.
    func answer(to url: String) async throws -> String { try await Tools.client(["call", url]).succeeded().output }

    /// The exit code and the message for a rejected URL.
    func refusal(of url: String) async throws -> (ExitStatus, String) {
        let output = try await Tools.client(["call", url])
        return (output.status, output.errors)
    }

    /// Sends SIGKILL, and starts the program again on the same bus and store.
    func killAndStartAgain(showing text: String) async throws -> SceneTerminal {
        terminal.signal(SIGKILL)
        guard try await terminal.end() == .signalled(SIGKILL) else { throw HarnessError("\(command) ended by itself") }
        return try await Self.start(command, showing: text, broker: broker)
    }

    /// Waits until the top line starts with a text; the terminal may draw after the program has answered.
    @discardableResult
    func wait(forTitle title: String) async throws -> TerminalScreen {
        try await terminal.wait(for: "the title “\(title)”") { screen in
            screen.rows[0].drop { " ‹".contains($0) }.hasPrefix(title)
        }
    }
}
