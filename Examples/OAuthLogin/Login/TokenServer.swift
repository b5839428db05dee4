import AsyncHTTPClient
import Foundation
import IPC
import NIOCore
import NIOHTTP1
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
    let url: URL
    let client: Client

    private static let (timeout, mostBytes) = (TimeAmount.seconds(30), 65_536)

    /// Exchanges a code for a token, and gets the user of that token.
    func user(for code: String, _ verifier: CodeVerifier) async throws -> User {
        let token = try await token(for: code, verifier)
        var request = HTTPClientRequest(url: url.appending(path: "userinfo").absoluteString)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        return try await answer(to: request)
    }

    /// Exchanges a code for a token; RFC 6749 §4.1.3 and RFC 7636 §4.5.
    private func token(for code: String, _ verifier: CodeVerifier) async throws -> String {
        let form: URLParameters = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": client.callback, "client_id": client.id,
            "code_verifier": verifier.text,
        ]
        var request = HTTPClientRequest(url: url.appending(path: "token").absoluteString)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: form.query))
        let token: Token = try await answer(to: request)
        return token.text
    }

    private func answer<Answer: Decodable>(to request: HTTPClientRequest) async throws -> Answer {
        let response: HTTPClientResponse
        let body: ByteBuffer
        do {
            response = try await HTTPClient.shared.execute(request, timeout: Self.timeout)
            body = try await response.body.collect(upTo: Self.mostBytes)
        } catch { throw LoginFailure.serverUnreachable("\(error)") }
        guard response.status == .ok else {
            throw LoginFailure.tokenRefused(Refusal(body)?.sentence ?? "it answered \(response.status)")
        }
        do { return try JSONDecoder().decode(Answer.self, from: Data(body.readableBytesView)) } catch {
            throw LoginFailure.tokenRefused("its answer to \(request.url) is malformed")
        }
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

        init?(_ body: ByteBuffer) {
            guard let refusal = try? JSONDecoder().decode(Self.self, from: Data(body.readableBytesView)) else {
                return nil
            }
            self = refusal
        }

        var sentence: String { error + (words.map { " (\($0))" } ?? "") }
    }
}
