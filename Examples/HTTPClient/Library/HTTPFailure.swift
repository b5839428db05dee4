/// The reason why a response is missing or incomplete.
package enum HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The server did not accept the connection in time.
    case connectTimeout
    /// The connection was silent for too long.
    case readTimeout
    /// The server closed the connection before its response began.
    case noAnswer
    /// The server cannot be reached.
    case notConnected(reason: String)
    /// The response exceeds the maximum length.
    case tooLarge
    /// Anything else, such as an untrusted certificate, in libcurl's words.
    case other(reason: String)

    package var description: String {
        switch self {
        case .connectTimeout: "the connection was not accepted in time"
        case .readTimeout: "the connection was silent for too long"
        case .noAnswer: "the connection was closed without an answer"
        case .tooLarge: "the answer is too long"
        case .notConnected(let reason), .other(let reason): reason
        }
    }
}
