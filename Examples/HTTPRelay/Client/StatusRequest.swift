import HTTPRelay
import IPC
import Programs

/// Asks how the server is: the simplest kind there is.
struct StatusRequest: ServerRequest {
    typealias Answer = EndedForm

    static let messageType = "status"
    let parameters: RequestParameters
}

/// Tells the server something: a kind with a field of its own, which is sent as the body.
struct ReportRequest: ServerRequest {
    typealias Answer = EndedForm

    static let messageType = "report"
    static let method = RequestMethod.post
    let parameters: RequestParameters
    /// What is reported.
    let text: String

    var fields: [FormField] { [FormField("text", text)] }
}

/// Fetches what is no form, and takes it as it comes: a kind with an answer of its own.
struct DownloadRequest: ServerRequest {
    static let messageType = "download"
    let parameters: RequestParameters

    /// The hook after each response: it tells what came, before anything is made of it.
    func didReceive(_ response: ResponseParameters) async {
        let status = response.statusCode.map { "status \($0)" } ?? "no status"
        Program.tell("\(status), \(response.rawData.count) bytes")
    }

    func answer(from response: ResponseParameters) throws -> [UInt8] {
        try response.check()
        return response.rawData
    }
}
