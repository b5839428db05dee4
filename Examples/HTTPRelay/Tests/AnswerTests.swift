import IPC
import Testing

@testable import HTTPRelay

/// How a kind of request interprets a response.
struct AnswerTests {
    private struct Plain: ServerRequest {
        typealias Answer = EndedForm
        static let messageType = "plain"
        let parameters = RequestParameters(deviceID: "d", serverURL: "http://x/")
    }

    /// A kind of request that overrides every default.
    private struct Counting: ServerRequest {
        static let messageType = "counting"
        let parameters = RequestParameters(deviceID: "d", serverURL: "http://x/")

        func answer(from response: ResponseParameters) throws -> Int { response.rawData.count }
    }

    private func response(_ text: String, length: Int? = nil) -> ResponseParameters {
        ResponseParameters(statusCode: 200, rawData: Array(text.utf8), contentLength: length)
    }

    @Test func `a form is the answer unless the kind says otherwise`() throws {
        #expect(try Plain().answer(from: response("a=1&END"))["a"] == "1")
        #expect(try Counting().answer(from: response("a=1&END")) == 7)
        #expect(throws: EndedForm.Flaw.missingEnd(last: "a=1")) { try Plain().answer(from: response("a=1")) }
        #expect(throws: EndedForm.Flaw.cutOff(received: 3, announced: 7)) {
            try Plain().answer(from: response("a=1", length: 7))
        }
    }

    @Test func `an error is not an answer, whatever its body`() {
        var refused = response("a=1&END")
        (refused.statusCode, refused.errorCode, refused.errorMessage) = (404, "status-404", "the server says 404")
        #expect(throws: ServerFailure(statusCode: 404, code: "status-404", message: "the server says 404")) {
            try Plain().answer(from: refused)
        }
    }

    @Test func `a response arrives in two items, the data first`() throws {
        var response = response("日本", length: 9)
        (response.errorCode, response.errorMessage) = ("cut-off", "6 of 9 bytes")
        let items = try response.items(type: .plainText)
        #expect(items.count == 2 && items[0].string == "日本")
        var read: ResponseParameters = try #require(try items[1].value())
        #expect(read.rawData.isEmpty)
        read.rawData = response.rawData
        #expect(read == response)
        // Numbers are not strings in the JSON, so readers in other languages get numbers.
        let json = String(decoding: items[1].representations[0].value.content, as: UTF8.self)
        #expect(json.contains(#""status-code":200"#), "\(json)")
    }

    @Test func `every request has its device, kind and time, followed by the fields of its kind`() {
        #expect(Plain().form.map(\.name) == ["deviceID", "messageType", "dateTime"])
        #expect(Plain().form[1].value == "plain" && Plain().method == .get)
    }
}
