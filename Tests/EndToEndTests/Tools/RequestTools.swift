import Foundation
import IPCTesting
import Testing

extension Tools {
    /// Claims a scheme persistently, by default that of `ipc-server`, for a handler that need not be running.
    static func claim(_ scheme: String = "IPCServer.demo", for application: String = "demo.IPCServer") async throws {
        _ = try await client(["scheme", "register", scheme, "--application", application, "--persistent"]).succeeded()
    }

    /// Queues a text.
    /// - Returns: the id of its request.
    static func queue(_ text: String, _ arguments: [String] = []) async throws -> String {
        let output = try await client(["send", "--queue"] + arguments + [text]).succeeded()
        return try #require(output.lines.first)
    }

    /// The output of `request show --json`.
    static func request(_ id: String) async throws -> JSONValue {
        try json(try await client(["request", "show", "--json", id]).succeeded().output)
    }

    static func json(_ line: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
    }

    /// The ids that `request list` prints.
    static func ids(_ arguments: [String]) async throws -> [String] {
        try await client(["request", "list"] + arguments).succeeded().lines.compactMap {
            $0.split(separator: "\t").first.map(String.init)
        }
    }
}
