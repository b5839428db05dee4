import IPCTesting

/// A question server, the relay, and the browser in a terminal, without a network if this machine allows that.
struct QABrowserScene: Sendable {
    let server: RunningProcess
    let relay: RunningProcess
    let browser: SceneTerminal
    /// The server's URL, without a slash at the end.
    let address: String

    var terminal: TerminalSession { browser.terminal }

    static func start(
        _ broker: BrokerProcess? = nil, showing text: String = "All questions: 1–20 of 2400"
    ) async throws -> QABrowserScene {
        let broker = if let broker { broker } else { try await BrokerProcess.start() }
        let (server, address) = try await server()
        let relay = try await relay()
        let command = try await HTTPRelayScene.isolation() ?? []
        let browser = try await SceneTerminal.start(
            command + [try Binaries.example("qa-browser"), "--server", address], showing: text, broker: broker)
        return QABrowserScene(server: server, relay: relay, browser: browser, address: address)
    }

    /// Starts a server, whose answers to `:slow` take longer than a test may.
    static func server(port: String = "0") async throws -> (process: RunningProcess, address: String) {
        let process = try await RunningProcess.start(
            try Binaries.example("question-server"), ["--port", port, "--delay", "600"], input: .none)
        guard let address = try await process.nextLine()?.split(separator: " ").last else {
            throw HarnessError("The server ended: \(process.errors.text)")
        }
        return (process, String(address))
    }

    static func relay() async throws -> RunningProcess {
        let process = try await RunningProcess.start(try Binaries.example("http-relay"), input: .none)
        try await process.errors.waitForLine(containing: "listening for relay: URLs")
        return process
    }

    /// Starts a browser of another server, with one question and its page.
    /// - Parameters:
    ///   - fields: fields of the question that differ from the usual ones, as Python.
    ///   - page: the text of the page, as Python.
    static func browser(ofOneQuestion fields: String, page: String = "''") async throws -> SceneTerminal {
        let broker = try await BrokerProcess.start()
        let (_, port) = try await HTTPRelayScene.python(
            #"""
            import http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    fields = {"Id": 7, "Content": "犬", "Condition": "open", "AnswerCount": 0,
                        "PostedDate": "2012-03-04", "Url": f"http://127.0.0.1:{server.server_port}/page"}
                    fields |= {\#(fields)}
                    question = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
                    body = f'<ResultSet totalResults="1" firstResultPosition="1"><Question>{question}</Question></ResultSet>'
                    if self.path.startswith("/page"):
                        body = "<html><p>" + \#(page) + "</p></html>"
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(body.encode())
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port)
            server.serve_forever()
            """#)
        _ = try await relay()
        return try await SceneTerminal.start(
            [try Binaries.example("qa-browser"), "--server", "http://127.0.0.1:\(port)"],
            showing: "All questions: 1–1 of 1", broker: broker)
    }

    /// Starts the server again, at the same address.
    func startServerAgain() async throws {
        _ = try await Self.server(port: String(address.split(separator: ":").last ?? ""))
    }

    /// Types a query in place of the one in the field, and starts the search.
    func search(_ query: String) async throws {
        try await terminal.press("C-u")
        try await terminal.type(query)
        try await terminal.wait(for: "the query") { $0.rows[1] == " Search: \(query)" }
        try await terminal.press("Enter")
    }

    /// Waits until the last row, which is chosen, shows a text; returns the screen.
    @discardableResult
    func wait(forLastRow text: String) async throws -> TerminalScreen {
        try await terminal.wait(for: "the last row “\(text)”") { screen in
            screen.rows[3...22].last { !$0.isEmpty }?.contains(text) == true
        }
    }

    /// Chooses the last row of the first twenty results, and loads more.
    func loadNext() async throws {
        for _ in 0..<20 { try await terminal.press("Down") }
        try await wait(forLastRow: "next ")
        try await terminal.press("Enter")
    }
}
