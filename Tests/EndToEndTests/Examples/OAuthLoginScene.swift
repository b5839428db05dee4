import IPC
import IPCDBus
import IPCInterface
import IPCModel
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
    func waitingLogin(_ arguments: [String] = []) async throws -> (process: RunningProcess, page: String) {
        let login = try await login(["--browser", "true"] + arguments)
        let line = try await login.errors.waitForLine(containing: "waiting for the browser at ")
        return (login, try #require(line.split(separator: " ").last.map(String.init)))
    }

    /// Presses a button on a page.
    func browse(_ page: String, _ button: String = "allow") async throws -> ProcessOutput {
        try await RunningProcess.run(
            Self.scriptedBrowser, [button, page], environment: try ExamplePlace.environment)
    }

    /// Presses a button on a page.
    /// - Returns: the URL to which the server redirects the browser. It is not opened.
    func redirect(of page: String, _ button: String = "allow") async throws -> String {
        let environment = try ExamplePlace.environment.merging(["OPEN_URL": "echo"]) { $1 }
        return String(
            try await RunningProcess.run(
                Self.scriptedBrowser, [button, page], environment: environment
            ).succeeded().output.dropLast())
    }

    /// Asks for a token for a code.
    /// - Returns: the server's answer, in JSON.
    func token(for code: String, verifier: String?) async throws -> String {
        let form = [
            "grant_type=authorization_code", "code=\(code)", "redirect_uri=oauthlogin.demo:/callback",
            "client_id=oauth-login",
        ]
        let fields = (form + (verifier.map { ["code_verifier=\($0)"] } ?? [])).flatMap { ["--data-urlencode", $0] }
        return try await RunningProcess.run("curl", ["-sS", "\(address)/token"] + fields).succeeded().output
    }

    /// Everything in the home directory except the broker's own files.
    static func home() throws -> HomeSnapshot { HomeSnapshot(try .current) { $0 == "run/swift-ipc" } }
}

extension String {
    /// The value of a parameter of this URL.
    func value(of name: String) throws -> String { try #require(URLParameters(of: self)[name]) }
}

/// The programs that open a URL, by how well their ids are proven.
enum LinkOpener: CaseIterable {
    /// `ipc-client`, as the desktop runs it for links in a browser.
    case linkHandler
    case otherProgram
    /// A program that owns its id as a bus name.
    case owner
    /// A program that calls the login without the broker, so its id is unknown.
    case directCaller

    /// Opens a URL.
    /// - Returns: the error message; `nil` if the URL was handled.
    func open(_ url: String) async throws -> String? {
        switch self {
        case .linkHandler: try await Self.failure(of: Tools.client(["open", url]))
        case .otherProgram:
            try await Self.failure(of: Tools.client(["open", url, "--application", "com.example.Other"]))
        case .owner:
            try await Self.openAsOwner(url)
        case .directCaller:
            try await Self.failure(
                of: RunningProcess.run(
                    "gdbus",
                    [
                        "call", "--session", "--dest", "demo.OAuthLogin", "--object-path", "/demo/OAuthLogin",
                        "--method",
                        "org.freedesktop.Application.Open", "['\(url)']", "{}",
                    ]))
        }
    }

    /// The source that the login sees.
    var source: String {
        switch self {
        case .linkHandler: "demo.IPCClient (claimed)"
        case .otherProgram: "com.example.Other (claimed)"
        case .owner: "com.example.Owner (owned)"
        case .directCaller: "unknown"
        }
    }

    private static func failure(of output: ProcessOutput) -> String? {
        output.status == .success ? nil : output.errors
    }

    @DBusActor
    private static func openAsOwner(_ url: String) async throws -> String? {
        let client = try await BrokerClient()
        _ = try await client.connection.requestName("com.example.Owner")
        var options = OpenURLOptions()
        options.sourceApplication = "com.example.Owner"
        let result = try await client.call(URLs1.openURL, (url, options))
        return result.outcome == Outcome.handled.rawValue ? nil : result.errorMessage
    }
}
