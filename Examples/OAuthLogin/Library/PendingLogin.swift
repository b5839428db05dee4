public import IPC

/// A login that waits until the browser is redirected to a URL with the answer. It decides which URL is the answer. This
/// is the core of the example.
public struct PendingLogin: Sendable {
    /// Random text that the answer must contain, so that a forged answer is detected; RFC 6749 §10.12.
    public let state: String
    /// The secret without which the code of the answer cannot be exchanged for a token.
    public let verifier: CodeVerifier
    private let client: Client
    private var isAnswered = false

    /// Starts a login with a new state and a new secret.
    public init(of client: Client) {
        (self.client, state, verifier) = (client, RandomText.make(), CodeVerifier())
    }

    /// The decision of the server or of its user.
    public enum Answer: Sendable, Hashable {
        /// The user said yes. The code can be exchanged for a token once.
        case code(String)
        /// The user or the server said no. The error is a word such as `access_denied` (RFC 6749 §4.1.2.1); the
        /// description is the server's explanation, if there is one.
        case refused(error: String, description: String?)
    }

    /// Accepts or rejects a URL as the one to which the server redirected the browser.
    ///
    /// Only the state decides. The source of the URL is not evidence: any program can state the id of the program that opens
    /// links for the desktop, and that program itself opens the links of every web page.
    /// - Throws: the reason why this URL is not the answer; the login keeps waiting.
    public mutating func take(_ url: String) throws(Refusal) -> Answer {
        let parameters = try self.parameters(of: url)
        guard let given = parameters["state"] else { throw .noState }
        guard isSameSecret(given, state) else { throw .wrongState }
        guard !isAnswered else { throw .answeredBefore }
        let answer: Answer
        if let error = parameters["error"], !error.isEmpty {
            answer = .refused(error: error, description: parameters["error_description"])
        } else if let code = parameters["code"], !code.isEmpty {
            answer = .code(code)
        } else {
            throw .noCode
        }
        isAnswered = true
        return answer
    }

    private func parameters(of url: String) throws(Refusal) -> URLParameters {
        guard let parts = try? URLParts(of: url), parts.scheme == client.scheme, parts.host ?? "" == "",
            parts.path == Client.callbackPath
        else { throw .otherURL(expected: client.callback) }
        // RFC 6749 §3.1: no parameter may appear twice.
        if let name = parts.parameters.repeatedName { throw .twice(name) }
        return parts.parameters
    }
}

extension PendingLogin {
    /// The reason why a URL is not the answer to this login.
    public enum Refusal: HandlerError, Sendable, Hashable, CustomStringConvertible {
        case otherURL(expected: String)
        case twice(String)
        case noState
        case wrongState
        case answeredBefore
        case noCode

        /// The reason as a word for programs.
        public var code: String {
            switch self {
            case .noState, .wrongState: "wrong-state"
            case .answeredBefore: "answered-before"
            case .otherURL, .twice, .noCode: "no-callback"
            }
        }

        public var description: String {
            switch self {
            case .otherURL(let expected): "the URL is not \(expected)"
            case .twice(let name): "the URL has the parameter “\(name)” twice"
            case .noState: "the URL has no state, so its login is unknown"
            case .wrongState: "the state does not match this login: the URL belongs to an earlier login, or is forged"
            case .answeredBefore: "this login already has its answer"
            case .noCode: "the URL has neither a code nor an error"
            }
        }
    }
}
