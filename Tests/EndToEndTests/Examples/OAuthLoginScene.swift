import Foundation
import IPCTesting
import Testing

/// An authorization server, programs that log in to it, and the browsers that they use.
struct OAuthLoginScene: Sendable {
    let broker: BrokerProcess
    let server: RunningProcess
    /// The server's URL, without a trailing slash.
    let address: String

    static func start(_ broker: BrokerProcess? = nil) async throws -> OAuthLoginScene {
        let broker = if let broker { broker } else { try await BrokerProcess.start() }
        let server = try await RunningProcess.start(try Binaries.example("oauth-mock-server"), input: .none)
        let line = try #require(try await server.nextLine())
        let address = try #require(line.split(separator: " ").last)
        return OAuthLoginScene(broker: broker, server: server, address: String(address))
    }

    /// The browser that needs no display.
    static var scriptedBrowser: String { ExamplePlace.folder("OAuthLogin/scripted-browser") }

    /// Starts a login.
    func login(_ arguments: [String], _ more: [String: String] = [:]) async throws -> RunningProcess {
        try await RunningProcess.start(
            try Binaries.example("oauth-login"), [address] + arguments,
            environment: try ExamplePlace.environment.merging(more) { $1 }, input: .none)
    }

    /// Starts a login whose browser does nothing; returns its process and the page that the login waits for.
    func waitingLogin(_ arguments: [String] = []) async throws -> (process: RunningProcess, page: URL) {
        let login = try await login(["--browser", "true"] + arguments)
        let line = try await login.errors.waitForLine(containing: "waiting for the browser at ")
        return (login, try #require(line.split(separator: " ").last.flatMap { URL(string: String($0)) }))
    }

    /// Presses a button on a page.
    func browse(_ page: URL, _ button: String = "allow") async throws -> ProcessOutput {
        try await RunningProcess.run(
            Self.scriptedBrowser, [button, page.absoluteString], environment: try ExamplePlace.environment)
    }

    /// Everything in the home directory except the broker's own files.
    static func home() throws -> HomeSnapshot { HomeSnapshot(try .current) { $0 == "run/swift-ipc" } }
}

extension URL {
    /// The value of a query parameter.
    func value(of name: String) throws -> String {
        let items = URLComponents(url: self, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return try #require(items.first { $0.name == name }?.value)
    }
}
