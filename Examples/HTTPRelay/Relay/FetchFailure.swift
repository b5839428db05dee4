import AsyncHTTPClient
import Foundation
import HTTPRelay
import IPC
import NIOCore
import NIOPosix

/// The reason why a server's response is missing or incomplete, as an error for the sender.
struct FetchFailure: HandlerError {
    /// A word for programs.
    let code: String
    /// A sentence for people.
    let message: String

    static let tooLarge = FetchFailure(code: "too-large", message: "the answer exceeds the limit for a reply (15 MiB)")

    private init(code: String, message: String) { (self.code, self.message) = (code, message) }

    /// Describes an error that occurred before the server began to answer.
    init(_ error: any Error, _ relayed: RelayedRequest) {
        let host = relayed.url.host() ?? ""
        let server = relayed.url.port.map { "\(host):\($0)" } ?? host
        switch error {
        case _ where Self.isConnectTimeout(error):
            self.init(
                code: "connect-timeout",
                message: "\(server) did not accept a connection within \(relayed.connectTimeout.inSeconds)")
        case let error as HTTPClientError where error == .readTimeout:
            self.init(
                code: "read-timeout", message: "\(server) was silent for \(relayed.readTimeout.inSeconds)")
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            self.init(code: "no-answer", message: "\(server) closed the connection without an answer")
        case let error as NIOConnectionError:
            self.init(code: "not-connected", message: "\(server) cannot be reached: \(error.reason)")
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            let reason = String(cString: strerror(error.errnoCode))
            self.init(code: "not-connected", message: "\(server) cannot be reached: \(reason)")
        default:
            self.init(code: "not-fetched", message: "\(relayed.url.absoluteString) cannot be fetched: \(error)")
        }
    }

    private static func isConnectTimeout(_ error: any Error) -> Bool {
        if case ChannelError.connectTimeout = error { return true }
        return [.connectTimeout, .getConnectionFromPoolTimeout].contains(error as? HTTPClientError)
    }

    /// Describes an error that occurred while the server was answering.
    init(cutOff error: any Error, _ response: ResponseParameters, _ relayed: RelayedRequest) {
        let bytes = response.rawData.count
        let received = response.contentLength.map { "\(bytes) of \($0) bytes" } ?? "\(bytes) bytes"
        let silence = "the server was silent for \(relayed.readTimeout.inSeconds)"
        let reason = error as? HTTPClientError == .readTimeout ? silence : "the connection ended"
        self.init(code: "cut-off", message: "the answer was cut off: \(reason) after \(received)")
    }
}

extension NIOConnectionError {
    /// The error of the last attempt to connect; a host may have several addresses.
    fileprivate var reason: String {
        if let error = connectionErrors.last?.error { return "\(error)" }
        return (dnsAError ?? dnsAAAAError).map { "\($0)" } ?? "\(self)"
    }
}

extension Duration {
    /// The duration as text, such as `60 s` or `0.5 s`.
    fileprivate var inSeconds: String { (self / .seconds(1)).formatted() + " s" }
}
