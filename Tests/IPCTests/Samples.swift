import IPC

/// The samples of the documentation, which must compile as they stand there with nothing but `IPC` imported.
enum Samples {
    static func server() async throws {
        let app = try await Application.connect(id: "demo.IPCServer", schemes: ["IPCServer.demo"])
        for try await request in app.openURLs {  // cold and warm starts arrive here alike
            print(request.url, request.source, try request.payload.string ?? "")
            try await request.finish(.handled)
        }
    }

    static func client() async throws {
        let app = try await Application.connect(id: "demo.IPCClient")
        let board = try await app.pasteboard(named: "demo.IPCClient", create: true)
        try await board.setPersistent(true)
        let url = "IPCServer.demo://IPCServer.demo?key=value"
        let response = try await app.open(url, sending: [.string("hello")], on: board)
        print(response.outcome)
    }
}
