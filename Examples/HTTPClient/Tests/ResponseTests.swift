import Foundation
import Testing

@testable import HTTPClient

/// Complete responses, and what is sent to get them.
@Suite(.timeLimit(.minutes(1)))
struct ResponseTests {
    private func response(
        _ answer: String, to method: HTTPRequest.Method = .get, mostBytes: Int = 1_000_000
    ) async throws -> HTTPResponse {
        let server = try ScriptedServer.start([.send(answer)])
        return try await HTTPRequest(method, try server.url(), mostBytes: mostBytes).send()
    }

    @Test func `a response has a status, a type, a length and a body`() async throws {
        let response = try await response(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n日")
        #expect(
            response
                == HTTPResponse(
                    status: 200, reasonPhrase: "OK", contentType: "text/plain", contentLength: 3,
                    body: Array("日".utf8), cutOff: nil))
    }

    @Test(arguments: [
        ("HTTP/1.1 404 Not Found\r\n", 404, "404 Not Found"),
        ("HTTP/1.0 500 out of order\r\n", 500, "500 out of order"),
        ("HTTP/1.1 299 \r\n", 299, "299"), ("HTTP/1.1 299\r\n", 299, "299"),
        ("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n", 302, "302 Found"),
        ("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 201 Created\r\n", 201, "201 Created"),
    ])
    func `each status is returned, and redirects are not followed`(
        _ header: String, _ status: Int, _ text: String
    ) async throws {
        let response = try await response(header + "Content-Length: 1\r\n\r\nx")
        #expect(response.status == status && response.statusText == text && response.body == Array("x".utf8))
    }

    @Test(arguments: ["Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nTrailer: x\r\n\r\n", "\r\nabc"])
    func `a body without an announced length is complete`(_ rest: String) async throws {
        let response = try await response("HTTP/1.1 200 OK\r\n\(rest)")
        #expect(response.body == Array("abc".utf8) && response.cutOff == nil)
        #expect(response.contentLength == nil && response.contentType == nil)
    }

    @Test func `a body may have the maximum length`() async throws {
        let header = "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n"
        let text = String(repeating: "x", count: 300_000)
        #expect(try await response(header + text, mostBytes: 300_000).body == Array(text.utf8))
        let longer = try await response(header + text, mostBytes: 299_999)
        #expect(longer.cutOff == .tooLarge && longer.status == 200 && longer.contentLength == 300_000)
        #expect(longer.body.count <= 299_999)
    }

    @Test func `a GET has the given header fields, and no body`() async throws {
        let server = try ScriptedServer.start([.send("HTTP/1.1 204 No Content\r\n\r\n")])
        var request = HTTPRequest(.get, try server.url("/a%20b?c=d#e"), mostBytes: 0)
        request.headers = ["Authorization": "Bearer x"]
        #expect(try await request.send().status == 204)
        let sent = try #require(await server.request)
        #expect(sent.hasPrefix("GET /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"), "\(sent)")
        #expect(sent.contains("\r\nAuthorization: Bearer x\r\n") && sent.hasSuffix("\r\n\r\n"))
        #expect(!sent.contains("Content-") && !sent.contains("Expect"))
    }

    @Test(arguments: [0, 1, 3_000_000])
    func `a POST has a body of any length`(_ length: Int) async throws {
        let server = try ScriptedServer.start([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
        let body = [UInt8](repeating: UInt8(ascii: "b"), count: length)
        var request = HTTPRequest(.post(body: body), try server.url(), mostBytes: 0)
        if length == 1 { request.headers = ["Content-Type": "text/plain"] }
        #expect(try await request.send().body.isEmpty)
        let sent = try #require(await server.request)
        #expect(sent.hasPrefix("POST / HTTP/1.1\r\n") && sent.contains("\r\nContent-Length: \(length)\r\n"))
        #expect(sent.utf8.suffix(length).elementsEqual(body) && !sent.contains("Expect"))
        #expect(sent.contains("Content-Type: text/plain\r\n") == (length == 1))
        #expect(sent.contains("Content-Type") == (length == 1))
    }

    @Test func `a user name in the URL is not sent, and a fragment is not taken for a host`() async throws {
        for format in ["http://user:word@127.0.0.1:%d/", "http://127.0.0.1:%d#@example.invalid/"] {
            let server = try ScriptedServer.start([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
            let url = try #require(URL(string: format.replacing("%d", with: "\(server.port)")))
            #expect(try await HTTPRequest(.get, url, mostBytes: 0).send().status == 200)
            let sent = try #require(await server.request)
            #expect(sent.contains("Host: 127.0.0.1:\(server.port)\r\n") && !sent.contains("Authorization"), "\(sent)")
        }
    }

    @Test func `the proxies of the environment are not used`() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
            let server = try ScriptedServer.start([.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
            let response = try await HTTPRequest(.get, try server.url(), mostBytes: 0).send()
            #expect(response.status == 200)
        }
    }

    @Test func `many requests run at a time`() async throws {
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let answer = try await response("HTTP/1.1 200 OK\r\n\r\n\(number)")
                    return String(decoding: answer.body, as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(bodies.count == 50)
    }
}
