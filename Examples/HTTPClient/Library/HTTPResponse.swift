/// A server's response, complete or cut off.
package struct HTTPResponse: Sendable, Hashable {
    /// The status code, 200 or more.
    package let status: Int
    /// The server's words for the status, such as `Not Found`; may be empty.
    package let reasonPhrase: String
    /// The value of the header field `Content-Type`.
    package let contentType: String?
    /// The content length that the server announced (RFC 9110 §8.6); `nil` if it announced none.
    package let contentLength: Int?
    /// The received bytes of the body.
    package let body: [UInt8]
    /// Why the rest of the body is missing; `nil` if the body is complete.
    package let cutOff: HTTPFailure?

    /// The status as text, such as `404 Not Found`.
    package var statusText: String { reasonPhrase.isEmpty ? "\(status)" : "\(status) \(reasonPhrase)" }
}
