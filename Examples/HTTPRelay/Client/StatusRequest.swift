import HTTPRelay
import IPC
import Programs

/// Asks for the server's status: the simplest kind of request.
struct StatusRequest: ServerRequest {
    typealias Answer = EndedForm

    static let messageType = "status"
    let parameters: RequestParameters
}

/// Sends a report: a kind of request with an additional field, sent in the body.
struct ReportRequest: ServerRequest {
    typealias Answer = EndedForm

    static let messageType = "report"
    static let method = RequestMethod.post
    let parameters: RequestParameters
    /// The text of the report.
    let text: String

    var fields: [FormField] { [FormField("text", text)] }
}

/// A kind of request with its own type of answer: it fetches data in any format, not only a form.
struct DownloadRequest: ServerRequest {
    static let messageType = "download"
    let parameters: RequestParameters

    /// Prints the status and the size of each response, before it is interpreted.
    func didReceive(_ response: ResponseParameters) async {
        let status = response.statusCode.map { "status \($0)" } ?? "no status"
        Program.tell("\(status), \(response.rawData.count) bytes")
    }

    func answer(from response: ResponseParameters) throws -> [UInt8] {
        try response.check()
        return response.rawData
    }
}
