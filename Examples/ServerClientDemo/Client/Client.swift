import IPC

@main
struct Client {
    /// Puts a text on a persistent pasteboard and opens a URL with it, in one step.
    static func main() async throws {
        let text = CommandLine.arguments.dropFirst().joined(separator: " ")
        let app = try await Application.connect(id: "demo.IPCClient")
        let board = try await app.pasteboard(named: "demo.IPCClient", create: true)
        try await board.setPersistent(true)
        let response = try await app.open(
            "IPCServer.demo://IPCServer.demo?key=value", sending: [.string(text)], on: board)
        print(response.outcome)
    }
}
