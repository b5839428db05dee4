import Foundation
import Hummingbird
import HummingbirdCore
import OAuthLogin

/// The parameters of the browser's request; RFC 6749 §4.1.1, RFC 7636 §4.3.
struct AuthorizationRequest: Sendable {
    let state: String
    let challenge: String

    init(_ parameters: FlatDictionary<Substring, Substring>) throws(Grants.Wrong) {
        guard parameters["client_id"] == Client.demo.id[...] else {
            throw Grants.Wrong("invalid_client", "no such client")
        }
        guard parameters["redirect_uri"] == Client.demo.callback[...] else {
            throw Grants.Wrong("invalid_request", "the client is registered with another redirect_uri")
        }
        guard parameters["response_type"] == "code", parameters["code_challenge_method"] == "S256",
            let challenge = parameters["code_challenge"], challenge.utf8.count == 43
        else {
            throw Grants.Wrong(
                "invalid_request", "only the response type “code” with a challenge of the method S256 is supported")
        }
        (state, self.challenge) = (String(parameters["state"] ?? ""), String(challenge))
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
    let codeVerifier: String

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
        var callback = URLComponents(string: Client.demo.callback)
        callback?.queryItems = [URLQueryItem(name: "state", value: request.state)]
        if decision.answer == "allow" {
            let code = UUID().uuidString
            challenges[code] = request.challenge
            callback?.queryItems?.append(URLQueryItem(name: "code", value: code))
        } else {
            callback?.queryItems?.append(URLQueryItem(name: "error", value: "access_denied"))
            callback?.queryItems?.append(URLQueryItem(name: "error_description", value: "Ada said no"))
        }
        return callback?.string
    }

    /// Exchanges a code for a token: only once, and only with the secret that belongs to the challenge.
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
        guard let verifier = CodeVerifier(request.codeVerifier), isSameSecret(verifier.challenge, challenge) else {
            throw Wrong("invalid_grant", "the code_verifier does not match the code_challenge")
        }
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
