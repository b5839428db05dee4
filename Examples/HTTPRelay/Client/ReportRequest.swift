import HTTPRelay
import IPC

/// Sends a report: a kind of request with its own parameter, its own answer, and either method.
struct ReportRequest: ServerRequest {
    static let messageType = "report"
    let parameters: RequestParameters
    let method: RequestMethod
    /// The text of the report.
    let text: String

    var fields: [FormField] { [FormField("text", text)] }

    func answer(from response: ResponseParameters) throws -> Receipt { try Receipt(response.form) }
}

/// The server's answer to a report.
struct Receipt: Sendable {
    /// The id of the device that sent the report.
    let device: String
    /// The time of the report: `yyyyMMddHHmmss` in UTC.
    let dateTime: String
    /// The HTTP method of the report.
    let method: String
    /// The length of the text that the server received.
    let characterCount: Int

    init(_ form: EndedForm) throws(EndedForm.Flaw) {
        device = try form.value(of: "device")
        (dateTime, method) = (try form.value(of: "dateTime"), try form.value(of: "method"))
        guard let count = Int(try form.value(of: "characters")) else { throw .keyMissing("characters") }
        characterCount = count
    }
}
