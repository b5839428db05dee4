import Foundation
import HTTPClient
import HTTPRelay
import IPC

/// The reason why a server's response is missing or incomplete, as an error for the sender.
struct FetchFailure: HandlerError {
    /// A word for programs.
    let code: String
    /// A sentence for people.
    let message: String

    private static let tooLarge = FetchFailure(
        code: "too-large", message: "the answer exceeds the limit for a reply (15 MiB)")

    private init(code: String, message: String) { (self.code, self.message) = (code, message) }

    /// Describes a host from which the relay may not fetch.
    init(forbidden host: String) {
        self.init(
            code: "host-not-allowed", message: "the relay does not fetch from \(host); start it with --allow \(host)")
    }

    /// Describes a failure before the server began to answer.
    init(_ failure: HTTPFailure, _ relayed: RelayedRequest) {
        // The form of a GET is in the query, and may be long.
        let server = relayed.url.absoluteString.prefix { $0 != "?" }
        switch failure {
        case .connectTimeout:
            self.init(
                code: "connect-timeout",
                message: "\(server) did not accept a connection within \(relayed.connectTimeout.inSeconds)")
        case .readTimeout:
            self.init(code: "read-timeout", message: "\(server) was silent for \(relayed.readTimeout.inSeconds)")
        case .noAnswer:
            self.init(code: "no-answer", message: "\(server) closed the connection without an answer")
        case .notConnected(let reason):
            self.init(code: "not-connected", message: "\(server) cannot be reached: \(reason)")
        case .tooLarge: self = .tooLarge
        case .other(let reason):
            self.init(code: "not-fetched", message: "\(server) cannot be fetched: \(reason)")
        }
    }

    /// Describes a failure while the server was answering.
    init(cutOff failure: HTTPFailure, _ response: HTTPResponse, _ relayed: RelayedRequest) {
        let bytes = response.body.count
        let received = response.contentLength.map { "\(bytes) of \($0) bytes" } ?? "\(bytes) bytes"
        let silence = "the server was silent for \(relayed.readTimeout.inSeconds)"
        let reason = failure == .readTimeout ? silence : "the connection ended"
        let cutOff = FetchFailure(code: "cut-off", message: "the answer was cut off: \(reason) after \(received)")
        self = failure == .tooLarge ? .tooLarge : cutOff
    }
}

extension Duration {
    /// The duration as text, such as `60 s` or `0.5 s`.
    fileprivate var inSeconds: String { (self / .seconds(1)).formatted() + " s" }
}
