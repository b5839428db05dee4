import Foundation
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

    @Test func `URLs of other senders are rejected, and the login continues`() async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        // The control: while the program waits, the desktop sends it the links, so there is something to undo
        // afterwards.
        #expect(try OAuthLoginScene.home().description.contains("demo.OAuthLogin.desktop"))
        let state = try page.value(of: "state")
        let refused: [([String], String)] = [
            ([callback("code=x&state=guessed")], "the state does not match this login"),
            ([callback("code=x")], "the URL has no state"),
            ([callback("state=\(state)")], "neither a code nor an error"),
            (["oauthlogin.demo:/other?code=x&state=\(state)"], "the URL is not oauthlogin.demo:/callback"),
            (
                [callback("code=x&state=\(state)"), "--application", "com.example.Other"],
                "opened by com.example.Other (claimed), and not by the desktop's link handler"
            ),
        ]
        for (arguments, sentence) in refused {
            let opened = try await Tools.client(["open"] + arguments)
            #expect(opened.status == .exited(70) && opened.errors.contains(sentence), "\(opened)")
            try await login.errors.waitForLine { $0.contains("rejected a URL: ") && $0.contains(sentence) }
        }
        let round = try await RunningProcess.run(
            "gdbus",
            [
                "call", "--session", "--dest", "demo.OAuthLogin", "--object-path", "/demo/OAuthLogin", "--method",
                "org.freedesktop.Application.Open", "['\(callback("code=x&state=\(state)"))']", "{}",
            ])
        #expect(round.status != .success && round.errors.contains("wrong-sender"), "\(round)")
        let answered = try await scene.browse(page)
        #expect(answered.status == .success && answered.output == "signed in; you can close this page", "\(answered)")
        #expect(try await login.wait() == .success)
        #expect(login.output.text == "signed in as Ada Lovelace (ada)\n")
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
        let injected = try #require(URL(string: page.absoluteString.replacing(challenge, with: others)))
        let opened = try await scene.browse(injected)
        #expect(opened.status == .exited(70) && opened.errors.contains("invalid_grant"), "\(opened)")
        #expect(try await login.wait() == .exited(70))
        #expect(login.errors.text.contains("the code_verifier does not match the code_challenge"))
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

    @Test func `the server does not redirect to an unknown client`() async throws {
        let scene = try await OAuthLoginScene.start()
        let (login, page) = try await scene.waitingLogin()
        let ask = { (url: String) in
            try await RunningProcess.run("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", url]).output
        }
        #expect(try await ask(page.absoluteString) == "200")
        for (right, wrong) in [("id=oauth-login", "id=other"), ("/callback", "/elsewhere"), ("=S256", "=plain")] {
            let url = page.absoluteString.replacing(right, with: wrong)
            #expect(url != page.absoluteString)
            #expect(try await ask(url) == "400", "\(url)")
        }
        await login.end()
    }
}
