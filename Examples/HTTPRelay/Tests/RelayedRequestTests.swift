import Foundation
import IPC
import Testing

@testable import HTTPRelay

/// Requests to the relay, converted to a URL and back.
struct RelayedRequestTests {
    private struct Question: ServerRequest {
        typealias Answer = EndedForm
        static let messageType = "question"
        var parameters = RequestParameters(
            deviceID: "device 1", serverURL: "http://127.0.0.1:8080/ask", date: Date(timeIntervalSince1970: 0),
            connectTimeout: .milliseconds(1_500), readTimeout: .seconds(3))
        var fields: [FormField] { [FormField("text", "日本&a=b +%")] }
    }

    private struct Message: ServerRequest {
        typealias Answer = EndedForm
        static let messageType = "message"
        let method = RequestMethod.post
        let parameters = RequestParameters(deviceID: "d", serverURL: "https://example.org/")
    }

    /// Reads a request as the relay does.
    private func read(_ text: String, body: Representation? = nil) throws -> RelayedRequest {
        let parts = try URLParts(of: text)
        return try RelayedRequest(parts.path, parts.parameters, body: body)
    }

    @Test func `a GET carries its form in the URL, and survives a round trip`() throws {
        let request = try RelayedRequest(Question())
        #expect(
            request.url.absoluteString == "http://127.0.0.1:8080/ask?deviceID=device%201&messageType=question"
                + "&dateTime=19700101000000&text=%E6%97%A5%E6%9C%AC%26a%3Db%20%2B%25")
        #expect(request.host == "127.0.0.1")
        #expect(request.body == nil)
        let read = try read(request.text)
        #expect(read == request)
        #expect(read.connectTimeout == .milliseconds(1_500) && read.readTimeout == .seconds(3))
    }

    @Test func `a POST carries its form as the payload, with time-outs of 60 s by default`() throws {
        let request = try RelayedRequest(Message())
        #expect(request.url.absoluteString == "https://example.org/")
        #expect(request.body?.type.text == "application/x-www-form-urlencoded")
        let read = try read(request.text, body: request.body)
        #expect(read == request)
        #expect(read.connectTimeout == .seconds(60) && read.readTimeout == .seconds(60))
    }

    @Test func `a request can be typed by hand`() throws {
        let request = try read("relay:get?url=http://127.0.0.1:8080/status?a=1&read-timeout=0.5")
        #expect(request.url.absoluteString == "http://127.0.0.1:8080/status?a=1")
        #expect(request.readTimeout == .milliseconds(500) && request.connectTimeout == .seconds(60))
    }

    @Test(arguments: [
        ("relay:", RelayedRequest.Flaw.noMethod("")), ("relay:put?url=http://x/", .noMethod("put")),
        ("relay:get", .noURL("")), ("relay:get?url=file:///etc/passwd", .noURL("file:///etc/passwd")),
        ("relay:get?url=http:///x", .noURL("http:///x")), ("relay:get?url=http://x/&url=http://y/", .twice("url")),
        ("relay:get?url=http://x/&retries=3", .unknown("retries")),
        ("relay:get?url=http://x/&read-timeout=0", .noTime("0")),
        ("relay:get?url=http://x/&read-timeout=nan", .noTime("nan")),
        ("relay:get?url=http://x/&connect-timeout=3601", .noTime("3601")),
    ])
    func `mistakes are reported`(_ text: String, _ flaw: RelayedRequest.Flaw) {
        #expect(throws: flaw) { try read(text) }
    }

    @Test func `a GET has no body`() throws {
        let body = Representation(type: .plainText, value: .text("x"))
        #expect(throws: RelayedRequest.Flaw.bodyOfGet) { try read("relay:get?url=http://x/", body: body) }
        #expect(try read("relay:post?url=http://x/", body: body).body == body)
    }

    @Test(arguments: [
        ("http://[::1]:8080/x", "::1"), ("HTTP://user@EXAMPLE.org", "example.org"),
        ("http://a.example?x=b@c", "a.example"),
        ("http://127.0.0.1@example.org/", "example.org"), ("http://127.0.0.1%2eexample.org/", "127.0.0.1.example.org"),
        ("http://127.0.0.1#@example.org/", "127.0.0.1"), (#"http://example.org\@127.0.0.1/"#, "127.0.0.1"),
    ])
    func `the host is that of the URL that is fetched`(_ text: String, _ host: String) throws {
        let request = try RelayedRequest("post", ["url": text], body: nil)
        #expect(request.host == host && request.url.host(percentEncoded: false)?.lowercased() == host, "\(request)")
    }

    @Test func `a server without a URL is rejected before anything is sent`() {
        var question = Question()
        question.parameters.serverURL = "127.0.0.1:8080"
        #expect(throws: RelayedRequest.Flaw.self) { try RelayedRequest(question) }
    }
}
