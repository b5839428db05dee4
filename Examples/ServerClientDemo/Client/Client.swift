import IPC
import Programs

@main
struct Client {
    let app: Application
    let board: Pasteboard

    /// Sends the text on the command line, or else each line of standard input; prints the replies.
    static func main() async {
        await Program.run {
            let app = try await Application.connect(id: "demo.IPCClient")
            let board = try await app.pasteboard(named: "demo.IPCClient", create: true)
            try await board.setPersistent(true)
            let client = Client(app: app, board: board)
            let text = CommandLine.arguments.dropFirst().joined(separator: " ")
            if text.isEmpty { await client.sendLines() } else { print(try await client.send(text)) }
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

    /// Sends each line of standard input, and prints the replies.
    func sendLines() async {
        while let text = readLine() {
            do { print("\(text) → \(try await send(text))") } catch { print("\(text) → \(error)") }
        }
    }
}
