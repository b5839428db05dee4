import IPC
import Programs
import Terminal

@main
struct Client {
    let app: Application
    let board: Pasteboard

    /// Sends the text on the command line, or else each line that is entered in a field; shows the replies.
    static func main() async {
        await Program.run {
            let app = try await Application.connect(id: "demo.IPCClient")
            let board = try await app.pasteboard(named: "demo.IPCClient", create: true)
            try await board.setPersistent(true)
            let client = Client(app: app, board: board)
            let text = CommandLine.arguments.dropFirst().joined(separator: " ")
            if text.isEmpty { try await client.runField() } else { print(try await client.send(text)) }
        }
    }

    /// Puts text on the pasteboard and opens a URL with it, in one step.
    ///
    /// - Returns: the reply of the server.
    func send(_ text: String) async throws -> String {
        let reply = try await app.call(
            "IPCServer.demo://IPCServer.demo?key=value", sending: [.string(text)], on: board)
        return "handled: \(try reply.string ?? "")"
    }

    /// Shows a text field on the terminal's last line, with the sent texts and the replies above it.
    func runField() async throws {
        let terminal = try Terminal.open(.lines)
        defer { terminal.close() }
        while true {
            switch await terminal.readLine("text: ") {
            case .line(let text):
                do { terminal.say("\(text) → \(try await send(text))") } catch { terminal.say("\(text) → \(error)") }
            case .cancelled: return
            case .interrupted(let signal): terminal.end(by: signal)
            }
        }
    }
}
