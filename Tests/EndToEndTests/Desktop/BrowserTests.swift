import IPCTesting
import Testing

/// A click in a browser reaches a handler. Chromium writes the scheme in lower case, and the rest unchanged.
@Suite(.privateBus)
struct BrowserTests {
    private static let page = """
        <!doctype html><title>A link</title><body style="margin:0">
        <a href="IPCServer.demo://IPCServer.demo?key=value&amp;x=%E6%97%A5" style="display:block;height:100vh">go</a>
        <script>requestAnimationFrame(() => requestAnimationFrame(() => fetch('/painted')))</script>
        """

    /// A web server for the page, and its address.
    private func serve(_ directory: TemporaryDirectory) async throws -> (server: RunningProcess, origin: String) {
        try FileContents.write(Self.page, to: "\(try directory.makeDirectory("web"))/index.html")
        let server = try await RunningProcess.start(
            "python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "-d", directory.appending("web"), "0"],
            input: .none)
        // An example of this line: Serving HTTP on 127.0.0.1 port 12345 (http://127.0.0.1:12345/) ...
        let line = try #require(try await server.nextLine())
        let port = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        return (server, "http://127.0.0.1:\(port)")
    }

    /// Starts a browser that opens a link from this origin without asking, as after "Always allow".
    private func browse(_ origin: String, _ directory: TemporaryDirectory, _ display: VirtualDisplay) async throws {
        let profile = directory.appending("profile")
        try directory.makeDirectory("profile/Default")
        try FileContents.write(
            #"{"protocol_handler":{"allowed_origin_protocol_pairs":{"\#(origin)":{"ipcserver.demo":true}}}}"#,
            to: "\(profile)/Default/Preferences")
        // Chromium's own sandbox needs a user other than root.
        _ = try await RunningProcess.start(
            "chromium",
            [
                "--no-sandbox", "--user-data-dir=\(profile)", "--no-first-run", "--disable-gpu",
                "--disable-dev-shm-usage",
                "--password-store=basic", "--kiosk", "\(origin)/",
            ],
            environment: try PrivateBus.current.environment.merging(["DISPLAY": display.name]) { $1 }, input: .none)
    }

    @Test func aClickReachesTheHandler() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let handler = try await Tools.server(["--json"])
        _ = try await Tools.client([
            "scheme", "register", "IPCServer.demo", "--application", "demo.IPCServer", "--persistent",
        ]).succeeded()
        let display = try await VirtualDisplay.start()
        let (server, origin) = try await serve(bus.directory)
        try await browse(origin, bus.directory, display)
        try await server.errors.waitForLine(deadline: .seconds(90)) { $0.contains("/painted") }
        // Chromium ignores a click on a page that is drawn but not yet activated, and no event reports the activation.
        var line: String?
        for _ in 0..<10 where line == nil {
            _ = try await RunningProcess.run(
                "xdotool", ["mousemove", "400", "300", "click", "1"],
                environment: bus.environment.merging(["DISPLAY": display.name]) { $1 }
            ).succeeded()
            line = try? await handler.nextLine(deadline: .seconds(6))
        }
        let received = try #require(line)
        #expect(try JSONText.string("url", in: received) == "ipcserver.demo://IPCServer.demo?key=value&x=%E6%97%A5")
        withExtendedLifetime((broker, server)) {}
    }
}
