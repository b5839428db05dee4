import HTTPRelay
import IPC
import Questions
import SceneManager

/// A request to the web API, which answers in XML.
struct QuestionsRequest: ServerRequest {
    static let messageType = "questions"
    let parameters: RequestParameters
    let fields: [FormField]

    func answer(from response: ResponseParameters) throws -> ResultSet {
        // If the status is 400, the API describes the error in XML.
        if response.statusCode != 400 { try response.check() }
        return try QuestionParser.parse(response.content())
    }
}

extension ResponseParameters {
    /// Returns the data, if this program can show that much.
    fileprivate func content() throws -> [UInt8] {
        if rawData.count <= 1 << 20 { return rawData }
        throw SceneRefusal("the answer has \(rawData.count) bytes; at most 1 MiB is shown", code: "too-long")
    }
}

/// A request for a web page.
struct PageRequest: ServerRequest {
    static let messageType = "page"
    let parameters: RequestParameters

    func answer(from response: ResponseParameters) throws -> PageText {
        try response.check()
        return try PageText(html: response.content())
    }
}

/// The web API of the server, which this program calls through the relay.
struct QuestionAPI: Sendable {
    /// The server's URL, without a slash at the end.
    let server: String
    let relay: Relay

    func results(of query: String, start: Int, results: Int) async throws -> ResultSet {
        try await questions([
            FormField("query", query), FormField("start", "\(start)"), FormField("results", "\(results)"),
        ])
    }

    func question(_ id: Question.ID) async throws -> Question {
        let found = try await questions([FormField("id", "\(id)")]).questions
        guard let question = found.first(where: { $0.id == id }) else {
            throw SceneRefusal("there is no question “\(id)”", code: "no-such-question")
        }
        return question
    }

    /// Fetches a question's own page.
    func page(of question: Question) async throws -> PageText {
        try await relay.send(PageRequest(parameters: parameters(question.url)))
    }

    private func questions(_ fields: [FormField]) async throws -> ResultSet {
        try await relay.send(QuestionsRequest(parameters: parameters("\(server)/questions"), fields: fields))
    }

    private func parameters(_ url: String) -> RequestParameters {
        RequestParameters(deviceID: "demo.QABrowser", serverURL: url)
    }
}
