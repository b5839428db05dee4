import IPC

@main
struct Server {
    /// Handles `IPCServer.demo:` URLs and prints what comes with them.
    static func main() async throws {
        let app = try await Application.connect(id: "demo.IPCServer", schemes: ["IPCServer.demo"])
        for try await request in app.openURLs {
            print(request.url, request.source, try request.payload.string ?? "")
            try await request.finish(.handled)
        }
    }
}
