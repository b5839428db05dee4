import Foundation
import Testing

@testable import HTTPClient

/// Responses that are missing or incomplete.
@Suite(.timeLimit(.minutes(1)))
struct FailureTests {
    private static let begun = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nfirst part"

    private func response(
        from url: URL, headers: [String: String] = [:], connectTimeout: Duration = .seconds(60),
        readTimeout: Duration = .seconds(60)
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(.get, url, mostBytes: 1_000)
        (request.headers, request.connectTimeout, request.readTimeout) = (headers, connectTimeout, readTimeout)
        return try await request.send()
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0", "HTTP/1.1 100 Continue\r\n\r\n",
    ])
    func `a connection that ends before the response has begun is no answer`(_ text: String) async throws {
        let server = try ScriptedServer.start([.send(text)])
        await #expect(throws: HTTPFailure.noAnswer) { try await response(from: try server.url()) }
    }

    @Test func `a connection that is reset before the response has begun is reported`() async throws {
        let server = try ScriptedServer.start([.reset])
        await #expect(throws: HTTPFailure.other(reason: "Recv failure: Connection reset by peer")) {
            try await response(from: try server.url())
        }
    }

    @Test(arguments: [begun, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nfirst part\r\n"])
    func `the part of a body that arrived before the connection ended is returned`(_ text: String) async throws {
        for end in [[], [ScriptedServer.Step.reset]] {
            let server = try ScriptedServer.start([.send(text)] + end)
            let response = try await response(from: try server.url())
            // A reset discards what the client has not read yet.
            #expect(response.body == Array("first part".utf8) || !end.isEmpty, "\(response)")
            #expect(response.contentLength == (text == Self.begun ? 100 : nil) && response.status == 200)
            guard case .other = response.cutOff else {
                Issue.record("\(response)")
                continue
            }
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func `silence before the response ends the request`(_ text: String) async throws {
        let server = try ScriptedServer.start([.send(text), .wait])
        await #expect(throws: HTTPFailure.readTimeout) {
            try await response(from: try server.url(), readTimeout: .milliseconds(100))
        }
        #expect(await server.events.contains(.left))
    }

    @Test func `silence within the body cuts the response off`() async throws {
        let server = try ScriptedServer.start([.send(Self.begun), .wait])
        let response = try await response(from: try server.url(), readTimeout: .milliseconds(100))
        #expect(response.cutOff == .readTimeout && response.body == Array("first part".utf8))
        #expect(response.contentType == "text/plain" && response.contentLength == 100)
        #expect(await server.events.contains(.left))
    }

    @Test func `a response may take longer than the longest silence`() async throws {
        let parts = Array(repeating: [ScriptedServer.Step.pause(.milliseconds(200)), .send("part")], count: 8).joined()
        let server = try ScriptedServer.start([.send("HTTP/1.1 200 OK\r\n\r\n")] + parts)
        let response = try await response(from: try server.url(), readTimeout: .milliseconds(1_300))
        #expect(response.cutOff == nil && response.body.count == 32)
    }

    @Test func `a refused connection and an unknown host are reported`() async throws {
        await #expect(throws: HTTPFailure.notConnected(reason: "Connection refused")) {
            try await response(from: try #require(URL(string: "http://127.0.0.1:1/")))
        }
        // A part of a name has at most 63 characters (RFC 1035 §2.3.4), so no server is asked for this one.
        let name = String(repeating: "x", count: 64)
        await #expect(throws: HTTPFailure.notConnected(reason: "Could not resolve host: \(name)")) {
            try await response(from: try #require(URL(string: "http://\(name)/")))
        }
    }

    @Test func `a connection that is not accepted ends the request`() async throws {
        let full = try Listener(backlog: 0)
        while full.connects() {}
        let url = try #require(URL(string: "http://127.0.0.1:\(full.port)/"))
        await #expect(throws: HTTPFailure.connectTimeout) {
            try await response(from: url, connectTimeout: .milliseconds(100))
        }
        withExtendedLifetime(full) {}
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"])
    func `other protocols are rejected`(_ text: String) async throws {
        let failure = try await #require(throws: HTTPFailure.self) {
            try await response(from: try #require(URL(string: text)))
        }
        #expect(failure.description.contains("not supported"), "\(failure)")
    }

    @Test func `a header field has one line`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        await #expect(throws: HTTPFailure.other(reason: "the header field Authorization cannot be sent")) {
            try await response(from: url, headers: ["Authorization": "Bearer x\r\nHost: y"])
        }
    }
}
