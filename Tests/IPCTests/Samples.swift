import IPC

/// The code samples of the documentation, which must compile unchanged with only `IPC` imported.
enum Samples {
    static func server() async throws {
        let app = try await Application.connect(id: "demo.IPCServer", schemes: ["IPCServer.demo"])
        for try await request in app.openURLs {  // cold and warm starts both arrive here
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

    static func caller(_ app: Application) async throws -> Int? {
        let reply = try await app.call("IPCServer.demo:add?a=1&b=2")
        let sum: Int? = try reply.value()
        return sum
    }

    static func handler(_ app: Application, add: @escaping @Sendable (String) throws -> Int) async throws {
        try await app.onOpenURL { request in
            let sum = try add(request.url)  // an error thrown here becomes the answer “failed”, with its message
            return [try .value(sum)]  // the returned value is the reply
        }
    }
}
