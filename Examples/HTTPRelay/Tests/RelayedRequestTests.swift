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
        static let method = RequestMethod.post
        let parameters = RequestParameters(deviceID: "d", serverURL: "https://example.org/")
    }

    @Test func `a GET carries its form in the URL, and survives a round trip`() throws {
        let request = try RelayedRequest(Question())
        #expect(
            request.url.absoluteString == "http://127.0.0.1:8080/ask?deviceID=device+1&messageType=question"
                + "&dateTime=1970-01-01T00%3A00%3A00Z&text=%E6%97%A5%E6%9C%AC%26a%3Db+%2B%25")
        #expect(request.body == nil)
        let read = try RelayedRequest(request.text, body: nil)
        #expect(read == request)
        #expect(read.connectTimeout == .milliseconds(1_500) && read.readTimeout == .seconds(3))
    }

    @Test func `a POST carries its form as the payload, with time-outs of 60 s by default`() throws {
        let request = try RelayedRequest(Message())
        #expect(request.url.absoluteString == "https://example.org/")
        #expect(request.body?.type.text == "application/x-www-form-urlencoded")
        let read = try RelayedRequest(request.text, body: request.body)
        #expect(read == request)
        #expect(read.connectTimeout == .seconds(60) && read.readTimeout == .seconds(60))
    }

    @Test func `a request can be typed by hand`() throws {
        let request = try RelayedRequest("relay:get?url=http://127.0.0.1:8080/status?a=1&read-timeout=0.5", body: nil)
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
        #expect(throws: flaw) { try RelayedRequest(text, body: nil) }
    }

    @Test func `a GET has no body`() throws {
        let body = Representation(type: .plainText, value: .text("x"))
        #expect(throws: RelayedRequest.Flaw.bodyOfGet) { try RelayedRequest("relay:get?url=http://x/", body: body) }
        #expect(try RelayedRequest("relay:post?url=http://x/", body: body).body == body)
    }

    @Test func `a server without a URL is rejected before anything is sent`() {
        var question = Question()
        question.parameters.serverURL = "127.0.0.1:8080"
        #expect(throws: RelayedRequest.Flaw.self) { try RelayedRequest(question) }
    }
}
