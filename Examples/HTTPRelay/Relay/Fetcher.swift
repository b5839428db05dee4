import Foundation
import HTTPClient
import HTTPRelay
import IPC

/// Performs the requests to the relay.
struct Fetcher: Sendable {
    /// The hosts from which the relay may fetch.
    let allowedHosts: [String]

    /// Returns the reply to a request to open a `relay:` URL; this is the core of the relay.
    func reply(to request: OpenURLRequest) async throws -> [PasteboardItem] {
        let relayed = try RelayedRequest(request)
        guard allowedHosts.contains(relayed.host) else { throw FetchFailure(forbidden: relayed.host) }
        // No deadline is needed: the library cancels this task when the sender's time-out expires.
        do {
            let response = try await HTTPRequest(relayed).send()
            return try ResponseParameters(response, relayed).items(type: response.mediaType)
        } catch let failure as HTTPFailure { throw FetchFailure(failure, relayed) }
    }
}

extension HTTPRequest {
    /// The maximum length of a response. It must fit into a reply, which also contains the other parameters.
    private static let mostBytes = 15 * 1_024 * 1_024

    /// Creates the HTTP request for the server.
    fileprivate init(_ relayed: RelayedRequest) {
        switch relayed.method {
        case .get: self.init(.get, relayed.url, mostBytes: Self.mostBytes)
        case .post:
            self.init(
                .post(body: Array(relayed.body?.value.content ?? [])), relayed.url, mostBytes: Self.mostBytes)
            headers["Content-Type"] = relayed.body?.type.text
        }
        (connectTimeout, readTimeout) = (relayed.connectTimeout, relayed.readTimeout)
    }
}

extension HTTPResponse {
    /// The content type that the server declares; arbitrary bytes if it declares no valid one.
    fileprivate var mediaType: ContentType { contentType.flatMap { try? ContentType($0) } ?? .octetStream }
}

extension ResponseParameters {
    /// Creates the parameters from everything that has arrived, even if the connection ended too early.
    fileprivate init(_ response: HTTPResponse, _ relayed: RelayedRequest) {
        self.init(
            statusCode: UInt16(clamping: response.status), rawData: response.body, contentLength: response.contentLength
        )
        if let failure = response.cutOff.map({ FetchFailure(cutOff: $0, response, relayed) }) {
            (errorCode, errorMessage) = (failure.code, failure.message)
        } else if !(200..<300).contains(response.status) {
            (errorCode, errorMessage) = ("status-\(response.status)", "the server says \(response.statusText)")
        }
    }
}
