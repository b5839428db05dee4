public import IPC

/// The program, as the authorization server knows it after the developer has registered it there.
public struct Client: Sendable, Hashable {
    /// The id that the server assigned to the program; it is not secret (RFC 6749 §2.2).
    public let id: String
    /// The application id under which the program receives URLs.
    public let application: ApplicationID
    /// The program's own scheme, to which the browser is redirected; RFC 8252 §7.1.
    public let scheme: URLScheme

    /// Creates the description of a client.
    public init(id: String, application: ApplicationID, scheme: URLScheme) {
        (self.id, self.application, self.scheme) = (id, application, scheme)
    }

    /// The client of this example.
    public static let demo = Client(id: "oauth-login", application: "demo.OAuthLogin", scheme: "oauthlogin.demo")

    /// The URL to which the browser is redirected with the code.
    public var callback: String { "\(scheme.text):\(Self.callbackPath)" }

    static let callbackPath = "/callback"

    /// The URL of the page on which the user says yes or no; RFC 6749 §4.1.1 and RFC 7636 §4.3.
    /// - Parameters:
    ///   - server: the server's URL, without a slash at the end.
    ///   - login: the login that the answer must match.
    public func authorizationURL(at server: String, for login: PendingLogin) -> String {
        let parameters: URLParameters = [
            "response_type": "code", "client_id": id, "redirect_uri": callback, "state": login.state,
            "code_challenge": login.verifier.challenge, "code_challenge_method": CodeVerifier.method,
        ]
        return parameters.added(to: "\(server)/authorize")
    }
}
