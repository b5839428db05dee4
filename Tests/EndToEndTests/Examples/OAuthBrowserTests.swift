import IPCTesting
import Testing

/// The login of the example OAuthLogin in Chromium: a click on the server's page reaches the waiting program.
@Suite(.privateBus)
struct OAuthBrowserTests {
    /// A command that starts Chromium, which opens a link from this origin without asking, as after "Always allow".
    private func chromium(for origin: String) throws -> String {
        let directory = try PrivateBus.current.directory
        let profile = directory.appending("profile")
        try directory.makeDirectory("profile/Default")
        try FileContents.write(
            #"{"protocol_handler":{"allowed_origin_protocol_pairs":{"\#(origin)":{"oauthlogin.demo":true}}}}"#,
            to: "\(profile)/Default/Preferences")
        // Chromium's own sandbox needs a user other than root.
        return "chromium --no-sandbox --user-data-dir=\(profile) --no-first-run --disable-gpu --disable-dev-shm-usage "
            + "--password-store=basic --kiosk"
    }

    @Test(arguments: [("yes", "200"), ("no", "700")])
    func `a click on the page signs in or not`(_ answer: String, _ height: String) async throws {
        let scene = try await OAuthLoginScene.start()
        let display = try await VirtualDisplay.start()
        let login = try await scene.login(
            ["--browser", try chromium(for: scene.address)], ["DISPLAY": display.name])
        try await scene.server.waitForLine(deadline: .seconds(90)) { $0 == "GET /painted" }
        // Clicks until the login exits, because Chromium ignores a click on content that is drawn but not yet active.
        var status: IPCTesting.ExitStatus?
        for _ in 0..<10 where status == nil {
            _ = try await RunningProcess.run(
                "xdotool", ["mousemove", "400", height, "click", "1"],
                environment: try PrivateBus.current.environment.merging(["DISPLAY": display.name]) { $1 }
            ).succeeded()
            status = try? await login.wait(deadline: .seconds(6))
        }
        if answer == "yes" {
            #expect(
                status == .success && login.output.text == "signed in as Ada Lovelace (ada)\n", "\(login.errors.text)")
        } else {
            #expect(status == .exited(77) && login.output.text.isEmpty, "\(login.errors.text)")
            #expect(login.errors.text.contains("access_denied"))
        }
    }
}
