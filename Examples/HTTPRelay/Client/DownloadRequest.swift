import HTTPRelay
import Programs

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
