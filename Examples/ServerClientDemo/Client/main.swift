import Glibc
import IPC

do {
    let app = try await Application.connect(id: "demo.IPCClient", schemes: ["IPCClient.demo"])
    let board = try await app.pasteboard(named: "demo.IPCClient", create: true, persistent: true)
    let server = "IPCServer.demo://IPCServer.demo?key=value"

    // The server answers while it handles a text, so the client must receive URLs during its call.
    async let _: Void = app.onOpenURL { request in
        print("answer: \(try request.payload.string ?? "") (\(request.url) from \(request.source))")
        return []
    }

    func send(_ text: String) async throws {
        guard try await app.canOpenURL(server) else {
            throw IPCError(.noHandler, "no program handles IPCServer.demo: URLs; start demo-server first")
        }
        _ = try await app.call(server, sending: [.string(text)], on: board)  // throws unless the text is handled
        print("handled")
    }

    let words = CommandLine.arguments.dropFirst().joined(separator: " ")
    if words.isEmpty {
        print("text: ", terminator: "")
        fflush(nil)
        while let text = readLine() {
            do { try await send(text) } catch { print(error) }
            print("text: ", terminator: "")
            fflush(nil)
        }
        print()
    } else {
        try await send(words)
    }
} catch {
    print(error)
    exit(1)
}
