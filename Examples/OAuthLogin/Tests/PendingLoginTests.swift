import IPC
import Testing

@testable import OAuthLogin

/// Which URLs a pending login accepts as its answer.
struct PendingLoginTests {
    /// Passes a URL to a login, with the login's state in place of `STATE`.
    private func take(
        _ url: String, by login: PendingLogin = PendingLogin(of: .demo)
    ) throws(PendingLogin.Refusal) -> PendingLogin.Answer {
        var login = login
        return try login.take(url.replacing("STATE", with: login.state))
    }

    @Test(arguments: [
        "oauthlogin.demo:/callback?code=a%20b&state=STATE", "OAuthLogin.Demo:/callback?state=STATE&code=a%20b",
        "oauthlogin.demo:///callback?code=a%20b&state=STATE&iss=x", "oauthlogin.demo:/callback?code=a%20b&state=STATE#",
    ])
    func `the callback contains the code`(_ url: String) throws { #expect(try take(url) == .code("a b")) }

    @Test func `an error callback contains the reason`() throws {
        #expect(
            try take("oauthlogin.demo:/callback?error=access_denied&error_description=said%20no&state=STATE")
                == .refused(error: "access_denied", description: "said no"))
        #expect(
            try take("oauthlogin.demo:/callback?error=x&code=y&state=STATE") == .refused(error: "x", description: nil))
    }

    @Test(arguments: [
        ("oauthlogin.demo:/callback?code=a&state=other", PendingLogin.Refusal.wrongState),
        ("oauthlogin.demo:/callback?code=a&state=", .wrongState), ("oauthlogin.demo:/callback?code=a", .noState),
        ("oauthlogin.demo:/callback", .noState), ("oauthlogin.demo:/callback?state=STATE", .noCode),
        ("oauthlogin.demo:/callback?state=STATE&code=", .noCode),
        ("oauthlogin.demo:/callback?state=STATE&error=", .noCode),
        ("oauthlogin.demo:/callback?error=x&state=wrong", .wrongState),
        ("oauthlogin.demo:/callback?code=a&code=b&state=STATE", .twice("code")),
        ("oauthlogin.demo:/callback?code=a&state=STATE&state=x", .twice("state")),
        ("oauthlogin.demo:/other?code=a&state=STATE", .otherURL(expected: "oauthlogin.demo:/callback")),
        ("oauthlogin.demo://callback?code=a&state=STATE", .otherURL(expected: "oauthlogin.demo:/callback")),
        ("other:/callback?code=a&state=STATE", .otherURL(expected: "oauthlogin.demo:/callback")),
    ])
    func `other URLs are refused`(_ url: String, _ refusal: PendingLogin.Refusal) {
        #expect(throws: refusal) { try take(url) }
    }

    @Test func `a state is valid for one answer and one login, and a rejected answer does not use it up`() throws {
        var login = PendingLogin(of: .demo)
        let earlier = PendingLogin(of: .demo)
        let stale = "oauthlogin.demo:/callback?code=a&state=\(earlier.state)"
        #expect(throws: PendingLogin.Refusal.wrongState) { try login.take(stale) }
        let right = "oauthlogin.demo:/callback?code=a&state=\(login.state)"
        let taken = try login.take(right)
        #expect(taken == .code("a"))
        #expect(throws: PendingLogin.Refusal.answeredBefore) { try login.take(right) }
    }

    @Test func `the URL of the page contains the challenge and never the secret`() throws {
        let login = PendingLogin(of: .demo)
        let url = Client.demo.authorizationURL(at: "http://127.0.0.1:8080", for: login)
        let parts = try URLParts(of: url)
        #expect(parts.path == "/authorize" && parts.parameters["state"] == login.state)
        #expect(parts.parameters["response_type"] == "code" && parts.parameters["code_challenge_method"] == "S256")
        #expect(parts.parameters["redirect_uri"] == "oauthlogin.demo:/callback")
        #expect(parts.parameters["code_challenge"] == login.verifier.challenge)
        #expect(!url.contains(login.verifier.text))
    }
}
