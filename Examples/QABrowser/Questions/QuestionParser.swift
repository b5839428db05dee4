/// Parses an answer of the web API: a `ResultSet` with `totalResults` and `firstResultPosition`, and for each result a
/// `Question` with `Id`, `Content`, `Condition`, `AnswerCount`, `PostedDate`, and possibly `Url` and `MobileUrl`.
public enum QuestionParser {
    /// The API rejects a request with an `Error`, which contains a `Message`.
    public struct Rejection: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// - Throws: an ``XMLFlaw`` or a ``Rejection``.
    public static func parse(_ bytes: [UInt8]) throws -> ResultSet {
        let reading = ResultSetReading()
        try reading.read(bytes)
        if let message = reading.message { throw Rejection(description: message) }
        guard let total = Int(reading.set["totalResults"] ?? ""),
            let first = Int(reading.set["firstResultPosition"] ?? "")
        else {
            throw XMLFlaw(line: 1, reason: "there is no ResultSet with totalResults and firstResultPosition")
        }
        return ResultSet(total: total, first: first, questions: reading.questions)
    }
}

private final class ResultSetReading: XMLReading {
    /// The attributes of the `ResultSet`.
    private(set) var set: [String: String] = [:]
    private(set) var questions: [Question] = []
    private(set) var message: String?
    private var fields: [String: String] = [:]

    override func begin(_ element: String, _ attributes: [String: String]) {
        if element == "ResultSet" { set = attributes }
        if element == "Question" { fields = [:] }
    }

    override func end(_ element: String, line: Int) throws(XMLFlaw) {
        if element == "Question" { questions.append(try question(line)) }
        if path == ["Error", "Message"] { message = text }
        fields[element] = text
    }

    private func question(_ line: Int) throws(XMLFlaw) -> Question {
        func field<Content>(_ name: String, _ read: (String) -> Content?) throws(XMLFlaw) -> Content {
            guard let text = fields[name] else { throw XMLFlaw(line: line, reason: "a question has no \(name)") }
            if let content = read(text) { return content }
            throw XMLFlaw(line: line, reason: "“\(text)” is not a valid \(name)")
        }
        return Question(
            id: try field("Id") { Int($0) }, text: try field("Content") { $0.isEmpty ? nil : $0 },
            condition: try field("Condition", Question.Condition.init(rawValue:)),
            numberOfAnswers: try field("AnswerCount") { UInt32($0).map(Int.init) },
            date: try field("PostedDate") { $0 }, url: fields["Url"] ?? "", mobileURL: fields["MobileUrl"] ?? "")
    }
}
