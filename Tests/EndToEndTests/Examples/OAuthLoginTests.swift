import IPC
import IPCTesting
import Testing

/// A command-line program signs in through a browser, and accepts only the code for its own login.
@Suite(.privateBus)
struct OAuthLoginTests {
    private func callback(_ query: String) -> String { "oauthlogin.demo:/callback?\(query)" }

    @Test(arguments: ["allow", "deny"])
    func `a login through a headless browser succeeds or fails, and leaves the home unchanged`(_ button: String)
        async throws
    {
        let scene = try await OAuthLoginScene.start()
        let before = try OAuthLoginScene.home()
        let login = try await scene.login(["--browser", "\(OAuthLoginScene.scriptedBrowser) \(button)"])
        let status = try await login.wait()
        if button == "allow" {
            #expect(status == .success, "\(login.errors.text)")
            #expect(login.output.text == "signed in as Ada Lovelace (ada)\n")
            try await scene.server.waitForLine { $0 == "POST /token: issued" }
        } else {
            #expect(status == .exited(77) && login.output.text.isEmpty, "\(login.errors.text)")
            #expect(login.errors.text.contains("the server refused: access_denied (Ada said no)"))
        }
        #expect(try OAuthLoginScene.home() == before)
    }

    @Test func `the desktop's browser is opened unless another is named`() async throws {
        let desktop = try await DesktopScene.start(environment: try ExamplePlace.environment)
        let scene = try await OAuthLoginScene.start(desktop.broker)
        try desktop.addEntry("browser.desktop", scheme: "http", "Exec=\(OAuthLoginScene.scriptedBrowser) %u")
        let login = try await scene.login([])
        #expect(try await login.wait() == .success, "\(login.errors.text)")
        #expect(login.output.text == "signed in as Ada Lovelace (ada)\n")
    }

    @Test(arguments: LinkOpener.allCases)
    func `a forged answer is rejected whatever source it states, and the login continues`(_ opener: LinkOpener)
        async throws
    {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        // The control: while the program waits, the desktop sends it the links, so there is something to undo
        // afterwards.
        #expect(try OAuthLoginScene.home().description.contains("demo.OAuthLogin.desktop"))
        let state = try page.value(of: "state")
        let refused: [(String, String)] = [
            (callback("code=x&state=guessed"), "the state does not match this login"),
            (callback("code=x&state=\(state.dropLast())"), "the state does not match this login"),
            (callback("error=access_denied&state=guessed"), "the state does not match this login"),
            (callback("code=x"), "the URL has no state"), (callback("error=access_denied"), "the URL has no state"),
            (callback("state=\(state)"), "neither a code nor an error"),
            (callback("code=x&code=y&state=\(state)"), "the parameter “code” twice"),
            ("oauthlogin.demo:/other?code=x&state=\(state)", "the URL is not oauthlogin.demo:/callback"),
        ]
        for (url, sentence) in refused {
            let error = try #require(try await opener.open(url))
            #expect(error.contains(sentence), "\(error)")
            try await login.errors.waitForLine {
                $0.contains("rejected a URL from \(opener.source): ") && $0.contains(sentence)
            }
        }
        let answered = try await scene.browse(page)
        #expect(answered.status == .success && answered.output == "signed in; you can close this page", "\(answered)")
        #expect(try await login.wait() == .success)
        #expect(login.output.text == "signed in as Ada Lovelace (ada)\n")
    }

    @Test(arguments: LinkOpener.allCases)
    func `an answer with the right state is accepted from any source`(_ opener: LinkOpener) async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        #expect(try await opener.open(scene.redirect(of: page)) == nil)
        #expect(try await login.wait() == .success)
        #expect(login.output.text == "signed in as Ada Lovelace (ada)\n")
    }

    @Test(arguments: LinkOpener.allCases)
    func `an error with the right state ends the login`(_ opener: LinkOpener) async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        let error = try await opener.open(callback("error=server_error&state=\(page.value(of: "state"))"))
        #expect(error == nil)
        #expect(try await login.wait() == .exited(70))
        #expect(login.errors.text.contains("the server refused: server_error") && login.output.text.isEmpty)
    }

    @Test(arguments: [nil, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"])
    func `a stolen code gets no token without the secret, and is used up`(_ verifier: String?) async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        let redirect = try await scene.redirect(of: page)
        let stolen = try await scene.token(for: redirect.value(of: "code"), verifier: verifier)
        #expect(stolen.contains("invalid_grant") && !stolen.contains("access_token"), "\(stolen)")
        let late = try await Tools.client(["open", redirect])
        #expect(late.status == .exited(70) && late.errors.contains("has already been used"), "\(late)")
        #expect(try await login.wait() == .exited(70))
        #expect(login.output.text.isEmpty)
    }

    @Test func `a code is exchanged once, with the secret of its own challenge`() async throws {
        let scene = try await OAuthLoginScene.start()
        // The example in RFC 7636, appendix B.
        let (verifier, challenge) = (
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        )
        let page =
            "\(scene.address)/authorize?response_type=code&client_id=oauth-login&redirect_uri=oauthlogin.demo:/callback"
            + "&state=s&code_challenge=\(challenge)&code_challenge_method=S256"
        // The challenge itself, which the page's URL shows, is not the secret.
        let shown = try await scene.token(for: scene.redirect(of: page).value(of: "code"), verifier: challenge)
        #expect(shown.contains("invalid_grant"), "\(shown)")
        let code = try await scene.redirect(of: page).value(of: "code")
        let first = try await scene.token(for: code, verifier: verifier)
        #expect(first.contains("access_token"), "\(first)")
        let replayed = try await scene.token(for: code, verifier: verifier)
        #expect(replayed.contains("invalid_grant") && !replayed.contains("access_token"), "\(replayed)")
    }

    @Test(arguments: ["=plain", "=", ""])
    func `the server refuses every challenge method but S256, and the client gets the reason`(_ method: String)
        async throws
    {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        let parameter = "code_challenge_method"
        let weak = page.replacing("\(parameter)=S256", with: method.isEmpty ? "" : parameter + method)
        #expect(weak != page)
        let headers = try await RunningProcess.run("curl", ["-sS", "-o", "/dev/null", "-D", "-", weak]).succeeded()
        let lines = headers.output.split(whereSeparator: \.isNewline)
        let location = try #require(lines.first { $0.lowercased().hasPrefix("location: ") })
        let redirect = String(location.dropFirst("location: ".count))
        #expect(try redirect.value(of: "error") == "invalid_request")
        #expect(try redirect.value(of: "state") == page.value(of: "state"))
        #expect(URLParameters(of: redirect)["code"] == nil)
        #expect(try await Tools.client(["open", redirect]).status == .success)
        #expect(try await login.wait() == .exited(70))
        #expect(login.errors.text.contains("a code_challenge with the method S256 is required"), "\(login.errors.text)")
    }

    @Test func `a state is valid only for its own login, and a signal ends the login`() async throws {
        let scene = try await OAuthLoginScene.start()
        let before = try OAuthLoginScene.home()
        let (earlier, stalePage) = try await scene.waitingLogin()
        earlier.signal(2)
        #expect(try await earlier.wait() == .exited(130))
        #expect(try OAuthLoginScene.home() == before)
        let nobody = try await scene.browse(stalePage)
        #expect(nobody.status == .exited(68), "\(nobody)")
        let (login, page) = try await scene.waitingLogin()
        let stale = try await Tools.client(["open", callback("code=x&state=\(try stalePage.value(of: "state"))")])
        #expect(stale.status == .exited(70) && stale.errors.contains("belongs to an earlier login"), "\(stale)")
        #expect(try await scene.browse(page).status == .success)
        #expect(try await login.wait() == .success)
    }

    @Test func `a code for another challenge is rejected`() async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        // The page's URL with another program's challenge, but still with the state of this login.
        let challenge = try page.value(of: "code_challenge")
        let others = String(repeating: "A", count: 43)
        let opened = try await scene.browse(page.replacing(challenge, with: others))
        #expect(opened.status == .exited(70) && opened.errors.contains("invalid_grant"), "\(opened)")
        #expect(try await login.wait() == .exited(70))
        #expect(login.errors.text.contains("the code_verifier is missing or does not match the code_challenge"))
        #expect(login.output.text.isEmpty)
    }

    @Test func `a login without an answer times out`() async throws {
        let scene = try await OAuthLoginScene.start()
        let before = try OAuthLoginScene.home()
        let (login, _) = try await scene.waitingLogin(["--timeout", "0.5"])
        #expect(try await login.wait() == .exited(75))
        #expect(login.errors.text.contains("no answer came from the browser within 0.5 s"))
        #expect(try OAuthLoginScene.home() == before)
    }

    @Test func `if another program handles the links, no login starts`() async throws {
        let scene = try await OAuthLoginScene.start()
        let other = try await Tools.server(["--application", "com.example.Other", "--scheme", "oauthlogin.demo"])
        let taken = try await scene.login(["--browser", "true"])
        #expect(try await taken.wait() == .exited(73))
        #expect(taken.errors.text.contains("links go to com.example.Other"), "\(taken.errors.text)")
        await other.end()
        let bus = try PrivateBus.current
        try bus.directory.makeDirectory("data/applications")
        let entry = bus.directory.appending("data/applications/theirs.desktop")
        try FileContents.write(
            "[Desktop Entry]\nType=Application\nName=Theirs\nExec=true %u\nMimeType=x-scheme-handler/oauthlogin.demo;\n",
            to: entry)
        let before = try OAuthLoginScene.home()
        let claimed = try await scene.login(["--browser", "true"])
        #expect(try await claimed.wait() == .exited(73))
        #expect(claimed.errors.text.contains(entry), "\(claimed.errors.text)")
        #expect(try OAuthLoginScene.home() == before)
        #expect(!taken.errors.text.contains("waiting for") && !claimed.errors.text.contains("waiting for"))
    }

    @Test(
        arguments: [
            (
                #"{"access_token":"t"}"#, #"{"sub":"root\n","name":"Ada\u001b[31m\u202e"}"#, 0,
                #"signed in as Ada\u{1B}[31m\u{202E} (root\n)"#
            ),
            (#"{"access_token":"a\nb"}"#, "", 70, "did not accept the code: its token is empty, or has"),
            (
                #"{"access_token":"\#(String(repeating: "a", count: 70_000))"}"#, "", 70,
                "did not accept the code: its answer is longer than 65536 bytes"
            ),
        ] as [(String, String, Int32, String)])
    func `the answers of a hostile server are reported in one line`(
        token: String, user: String, code: Int32, line: String
    ) async throws {
        let broker = try await BrokerProcess.start()
        let server = try await RunningProcess.start(
            "/usr/bin/python3", ["-u", "-c", Self.hostileServer, token, user], input: .none)
        let address = try #require(try await server.nextLine())
        let scene = OAuthLoginScene(broker: broker, server: server, address: address)
        let (login, page) = try await scene.waitingLogin()
        _ = try await Tools.client(["open", callback("code=x&state=\(page.value(of: "state"))")])
        #expect(try await login.wait() == (code == 0 ? .success : .exited(code)), "\(login.errors.text)")
        let told = login.output.text + login.errors.text
        #expect(told.contains(line) && told.split(separator: "\n").count == 2, "\(told)")
        #expect(!told.contains("\u{1B}") && !told.contains("\u{202E}"))
    }

    /// Answers each request with an argument of the program.
    private static let hostileServer = """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = sys.argv[1 if self.path == "/token" else 2].encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            do_POST = do_GET
            def log_message(self, *words): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(f"http://127.0.0.1:{server.server_port}")
        server.serve_forever()

        """

    @Test func `the URL of the server is checked before the browser opens`() async throws {
        let told = try await RunningProcess.run(
            try Binaries.example("oauth-login"), ["http://a b", "--browser", "true"],
            environment: try ExamplePlace.environment)
        #expect(told.status == .exited(64) && told.errors.contains("“http://a b” is not an http"), "\(told)")
    }

    @Test func `the server does not redirect to an unknown client`() async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        let ask = { (url: String) in
            try await RunningProcess.run("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", url]).output
        }
        #expect(try await ask(page) == "200")
        for (right, wrong) in [("id=oauth-login", "id=other"), ("%2Fcallback", "%2Felsewhere")] {
            let url = page.replacing(right, with: wrong)
            #expect(url != page)
            #expect(try await ask(url) == "400", "\(url)")
        }
        await login.end()
    }
}
