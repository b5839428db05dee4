import IPCTesting
import Testing

/// Links from other programs reach a handler through the broker, with the URL unchanged, whether or not the handler is
/// running.
@Suite(.privateBus)
struct OpenersTests {
    private static let application = "org.example.Links"
    private static let scheme = "Links.example"

    static let urls = [
        "Links.example://host/path?key=value&x=%E6%97%A5#part", "links.example:a%20b+c;d=e,f'g(h)",
        "links.example://x?u=https://example.org/%3Fa%3Db",
    ]
    /// URLs for GIO only: xdg-open before 1.2 looks up a scheme as it is spelled, and only two spellings are
    /// registered.
    static let moreForGIO = ["LINKS.EXAMPLE://x", "lInKs.Example:with a blank"]

    /// Registers a handler that the bus starts, and whose output can be read here.
    private func register() async throws -> RunningProcess {
        let bus = try PrivateBus.current
        let fifo = bus.directory.appending("lines")
        _ = try await RunningProcess.run("mkfifo", [fifo]).succeeded()
        let reader = try await RunningProcess.start("sh", ["-c", "exec cat <>\(fifo)"], input: .none)
        let script = bus.directory.appending("handler.sh")
        let server = try Binaries.path("ipc-server")
        try FileContents.write(
            "exec \(server) --json --application \(Self.application) --scheme \(Self.scheme) >\(fifo)\n", to: script)
        let registered = try await Tools.client([
            "scheme", "register", Self.scheme, "--application", Self.application, "--persistent", "--exec",
            "sh \(script)",
        ]).succeeded()
        #expect(registered.errors.isEmpty, "\(registered)")
        return reader
    }

    private func opens(_ command: [String], _ urls: [String], _ environment: [String: String] = [:]) async throws {
        let broker = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        let reader = try await register()
        #expect(try await !bus.hasOwner(Self.application))
        // The first URL starts the handler; the others find it running.
        for url in urls {
            let opened = try await RunningProcess.run(
                command[0], command.dropFirst() + [url], environment: bus.environment.merging(environment) { $1 })
            #expect(opened.status == .success, "\(opened)")
            let line = try #require(try await reader.nextLine())
            #expect(try JSONText.string("url", in: line) == url)
            #expect(try await bus.hasOwner(Self.application))
        }
        // The control: without the registration, no program gets the URL.
        _ = try await Tools.client(["scheme", "unregister", "--all", "--application", Self.application]).succeeded()
        let refused = try await RunningProcess.run(
            command[0], command.dropFirst() + [Self.urls[0]], environment: bus.environment.merging(environment) { $1 })
        #expect(refused.status != .success, "\(refused)")
        withExtendedLifetime(broker) {}
    }

    @Test func gioOpen() async throws { try await opens(["gio", "open"], Self.urls + Self.moreForGIO) }

    @Test func xdgOpen() async throws {
        let display = try await VirtualDisplay.start()
        // If no handler is found, xdg-open must not try a browser.
        try await opens(["xdg-open"], Self.urls, ["DISPLAY": display.name, "BROWSER": "false"])
        await display.end()
    }
}
