import Foundation
import HTTPClient
import IPC
import OAuthLogin

/// The signed-in user, as the server describes them.
struct User: Sendable, Decodable {
    let id: String
    let name: String

    private enum CodingKeys: String, CodingKey {
        case id = "sub"
        case name
    }
}

/// The server to which the browser's page belongs.
struct TokenServer: Sendable {
    /// The server's URL, without a slash at the end.
    let url: String
    let client: Client

    private static let (timeout, mostBytes) = (Duration.seconds(30), 65_536)

    /// Exchanges a code for a token, and gets the user of that token.
    func user(for code: String, _ verifier: CodeVerifier) async throws -> User {
        let token = try await token(for: code, verifier)
        return try await answer(to: .get, "userinfo", headers: ["Authorization": "Bearer \(token)"])
    }

    /// Exchanges a code for a token; RFC 6749 §4.1.3 and RFC 7636 §4.5.
    private func token(for code: String, _ verifier: CodeVerifier) async throws -> String {
        let form: URLParameters = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": client.callback, "client_id": client.id,
            "code_verifier": verifier.text,
        ]
        let token: Token = try await answer(
            to: .post(body: Array(form.query.utf8)), "token",
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        // RFC 6749, appendix A.12.
        guard !token.text.isEmpty, token.text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw LoginFailure.tokenRefused("its token is empty, or has characters that a request cannot contain")
        }
        return token.text
    }

    private func answer<Answer: Decodable>(
        to method: HTTPRequest.Method, _ path: String, headers: [String: String]
    ) async throws -> Answer {
        guard let target = URL(string: "\(url)/\(path)") else {
            throw LoginFailure.serverUnreachable("\(url) is not a URL")
        }
        var request = HTTPRequest(method, target, mostBytes: Self.mostBytes)
        request.headers = headers
        (request.connectTimeout, request.readTimeout) = (Self.timeout, Self.timeout)
        let response = try await whole(request)
        guard response.status == 200 else {
            throw LoginFailure.tokenRefused(Refusal(response.body)?.sentence ?? "it answered \(response.statusText)")
        }
        do { return try JSONDecoder().decode(Answer.self, from: Data(response.body)) } catch {
            throw LoginFailure.tokenRefused("its answer to \(request.url.absoluteString) is malformed")
        }
    }

    /// Returns a complete response.
    private func whole(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            let response = try await request.send()
            if let failure = response.cutOff { throw failure }
            return response
        } catch HTTPFailure.tooLarge {
            throw LoginFailure.tokenRefused("its answer is longer than \(Self.mostBytes) bytes")
        } catch let failure as HTTPFailure { throw LoginFailure.serverUnreachable("\(failure)") }
    }

    /// The response to a successful request for a token; RFC 6749 §5.1.
    private struct Token: Decodable {
        let text: String

        private enum CodingKeys: String, CodingKey { case text = "access_token" }
    }

    /// The response to a rejected request for a token; RFC 6749 §5.2.
    private struct Refusal: Decodable {
        let error: String
        let words: String?

        private enum CodingKeys: String, CodingKey {
            case error
            case words = "error_description"
        }

        init?(_ body: [UInt8]) {
            guard let refusal = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
            self = refusal
        }

        var sentence: String { error + (words.map { " (\($0))" } ?? "") }
    }
}
