import AsyncHTTPClient
import Foundation
import HTTPRelay
import IPC
import NIOCore
import NIOHTTP1

/// Performs the requests to the relay.
struct Fetcher: Sendable {
    /// The hosts from which the relay may fetch.
    let allowedHosts: [String]

    /// The maximum length of a response. It must fit into a reply, which also contains the other parameters.
    private static let mostBytes = 15 * 1_024 * 1_024

    /// Returns the reply to a request to open a `relay:` URL; this is the core of the relay.
    func reply(to request: OpenURLRequest) async throws -> [PasteboardItem] {
        let relayed = try RelayedRequest(request)
        let host = relayed.url.host() ?? ""
        guard allowedHosts.contains(host) else {
            throw OpenURLRequest.Answer.failed(
                code: "host-not-allowed",
                message: "the relay does not fetch from \(host); start it with --allow \(host)")
        }
        let (response, type) = try await fetch(relayed)
        return try response.items(type: type)
    }

    private func fetch(_ relayed: RelayedRequest) async throws -> (ResponseParameters, ContentType) {
        do {
            return try await HTTPClient.withHTTPClient(configuration: configuration(of: relayed)) { client in
                // No deadline is needed here, because the library cancels this task when the sender's time-out expires.
                let answer = try await client.execute(HTTPClientRequest(relayed), deadline: .distantFuture)
                return (await collect(answer, relayed), answer.contentType)
            }
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            throw FetchFailure(error, relayed)
        }
    }

    private func configuration(of relayed: RelayedRequest) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.timeout = .init(
            connect: TimeAmount(relayed.connectTimeout), read: TimeAmount(relayed.readTimeout))
        // A redirect may lead to a host that is not allowed.
        configuration.redirectConfiguration = .disallow
        // Report a refused connection at once, not after the time-out.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Collects everything that arrives, even if the connection ends too early.
    private func collect(_ answer: HTTPClientResponse, _ relayed: RelayedRequest) async -> ResponseParameters {
        var response = ResponseParameters(
            statusCode: UInt16(answer.status.code),
            contentLength: answer.headers.first(name: "Content-Length").flatMap { Int($0) })
        if !(200..<300).contains(answer.status.code) {
            (response.errorCode, response.errorMessage) = (
                "status-\(answer.status.code)", "the server says \(answer.status.code) \(answer.status.reasonPhrase)"
            )
        }
        do {
            for try await part in answer.body {
                guard response.rawData.count + part.readableBytes <= Self.mostBytes else { throw FetchFailure.tooLarge }
                response.rawData += part.readableBytesView
            }
        } catch {
            let failure = error as? FetchFailure ?? FetchFailure(cutOff: error, response, relayed)
            (response.errorCode, response.errorMessage) = (failure.code, failure.message)
        }
        return response
    }
}

extension HTTPClientRequest {
    /// Creates the HTTP request for the server.
    init(_ relayed: RelayedRequest) {
        self.init(url: relayed.url.absoluteString)
        guard relayed.method == .post else { return }
        method = .POST
        guard let content = relayed.body else { return }
        headers.add(name: "Content-Type", value: content.type.text)
        body = .bytes(ByteBuffer(bytes: content.value.content))
    }
}

extension HTTPClientResponse {
    /// The content type that the server declares; arbitrary bytes if it declares no valid one.
    fileprivate var contentType: ContentType {
        headers.first(name: "Content-Type").flatMap { try? ContentType($0) } ?? .octetStream
    }
}
