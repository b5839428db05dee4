import Foundation
import Hummingbird
import HummingbirdCore
import IPC
import OAuthLogin

/// The parameters of the browser's request; RFC 6749 §4.1.1, RFC 7636 §4.3.
struct AuthorizationRequest: Sendable {
    let state: String
    /// The digest of the client's secret.
    let challenge: String

    /// - Throws: ``Grants/Wrong``, or ``Grants/Refused`` if the client gets the reason.
    init(_ parameters: FlatDictionary<Substring, Substring>) throws {
        guard parameters["client_id"] == Client.demo.id[...] else {
            throw Grants.Wrong("invalid_client", "no such client")
        }
        guard parameters["redirect_uri"] == Client.demo.callback[...] else {
            throw Grants.Wrong("invalid_request", "the client is registered with another redirect_uri")
        }
        state = String(parameters["state"] ?? "")
        guard parameters["response_type"] == "code" else {
            throw Grants.Refused(state: state, "unsupported_response_type", "the only response type is code")
        }
        // Without a method, the challenge would be the secret itself (plain, RFC 7636 §4.3), which the page's URL shows.
        guard parameters["code_challenge_method"] == CodeVerifier.method[...],
            let challenge = parameters["code_challenge"], challenge.utf8.count == 43
        else {
            throw Grants.Refused(state: state, "invalid_request", "a code_challenge with the method S256 is required")
        }
        self.challenge = String(challenge)
    }
}

/// The fields of the form on the page.
struct Decision: Sendable, Decodable {
    let ticket: String
    let answer: String
}

/// The parameters of the client's request for a token; RFC 6749 §4.1.3, RFC 7636 §4.5.
struct TokenRequest: Sendable, Decodable {
    let grantType: String
    let code: String
    let redirectURI: String
    let clientID: String
    let codeVerifier: String?

    private enum CodingKeys: String, CodingKey {
        case code
        case grantType = "grant_type"
        case redirectURI = "redirect_uri"
        case clientID = "client_id"
        case codeVerifier = "code_verifier"
    }
}

/// The questions that users have not answered yet, and the codes and tokens that were issued.
actor Grants {
    /// The reason for a rejection; RFC 6749 §5.2.
    struct Wrong: Error {
        let error: String
        let description: String

        init(_ error: String, _ description: String) { (self.error, self.description) = (error, description) }
    }

    /// The reason for a rejection that the client gets, because the browser may be redirected; RFC 6749 §4.1.2.1.
    struct Refused: Error {
        /// The URL to which the browser is redirected.
        let callback: String

        init(state: String, _ error: String, _ description: String) {
            callback = Grants.callback(state, ["error": error, "error_description": description])
        }
    }

    private var asked: [String: AuthorizationRequest] = [:]
    private var challenges: [String: String] = [:]
    private var tokens: Set<String> = []

    /// Records that the user is being asked; returns the ticket that the answer must contain.
    func ask(_ request: AuthorizationRequest) -> String {
        let ticket = UUID().uuidString
        asked[ticket] = request
        return ticket
    }

    /// Returns the URL to which the browser is redirected; `nil` if the ticket is unknown or was already used.
    func decide(_ decision: Decision) -> String? {
        guard let request = asked.removeValue(forKey: decision.ticket) else { return nil }
        guard decision.answer == "allow" else {
            return Self.callback(request.state, ["error": "access_denied", "error_description": "Ada said no"])
        }
        let code = UUID().uuidString
        challenges[code] = request.challenge
        return Self.callback(request.state, ["code": code])
    }

    private static func callback(_ state: String, _ answer: URLParameters) -> String {
        answer.added(to: URLParameters(dictionaryLiteral: ("state", state)).added(to: Client.demo.callback))
    }

    /// Exchanges a code for a token: only with the secret that belongs to the challenge, and only once. A wrong secret
    /// also uses up the code, because it shows that another program has the code.
    func token(for request: TokenRequest) throws(Wrong) -> String {
        guard request.grantType == "authorization_code" else {
            throw Wrong("unsupported_grant_type", request.grantType)
        }
        guard request.clientID == Client.demo.id else { throw Wrong("invalid_client", "no such client") }
        guard let challenge = challenges.removeValue(forKey: request.code) else {
            throw Wrong("invalid_grant", "the code is unknown, or has already been used")
        }
        guard request.redirectURI == Client.demo.callback else {
            throw Wrong("invalid_grant", "the code was issued for another redirect_uri")
        }
        guard let verifier = request.codeVerifier.flatMap(CodeVerifier.init),
            isSameSecret(verifier.challenge, challenge)
        else { throw Wrong("invalid_grant", "the code_verifier is missing or does not match the code_challenge") }
        let token = UUID().uuidString
        tokens.insert(token)
        return token
    }

    /// Whether an `Authorization` header contains a token of this server; RFC 6750 §2.1.
    func knows(_ authorization: String?) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return false }
        return tokens.contains(String(authorization.dropFirst(7)))
    }
}
