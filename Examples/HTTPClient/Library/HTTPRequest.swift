package import Foundation

/// A request to a server over HTTP/1.1, plain or with TLS.
package struct HTTPRequest: Sendable {
    package let method: Method
    /// The URL to fetch: `http` or `https`. A user name in it is not sent.
    package let url: URL
    /// The header fields, by name. Those that HTTP requires, such as `Host`, are added.
    package var headers: [String: String] = [:]
    /// How long it may take to find the server and to connect to it, including TLS; at most 24 days.
    package var connectTimeout = Duration.seconds(60)
    /// How long the connection may be silent after that; at most 24 days.
    package var readTimeout = Duration.seconds(60)
    /// The maximum length of the response's body.
    package let mostBytes: Int

    /// The HTTP method (RFC 9110 §9.3).
    package enum Method: Sendable, Hashable {
        case get
        case post(body: [UInt8])
    }

    /// Creates a request.
    package init(_ method: Method, _ url: URL, mostBytes: Int) {
        (self.method, self.url, self.mostBytes) = (method, url, mostBytes)
    }

    /// Sends the request on its own connection, and returns the response, even if it was cut off.
    ///
    /// Redirects are not followed, failed attempts are not repeated, and proxies are not used.
    /// - Throws: ``HTTPFailure`` if no response began; `CancellationError` if the task is cancelled.
    package func send() async throws -> HTTPResponse {
        let network = try Network()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Waiting for the network blocks, so it needs its own thread.
                Thread.detachNewThread {
                    Self.blockSignals()
                    continuation.resume(with: Result { try Transfer(self, network).run() })
                }
            }
        } onCancel: {
            network.cancel()
        }
    }

    /// Blocks all signals on this thread. Writing to a closed TLS connection sends SIGPIPE, which would end the program,
    /// and the other signals are for the program's other threads.
    private static func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
