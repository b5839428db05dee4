public import Foundation
internal import FoundationXML

/// Parses a response of the web API: a `ResultSet` with the total number of results, and for each result a `Question`
/// with `Id`, `Content`, `Condition`, `AnswerCount` and `PostedDate`.
public struct QuestionParser {
    /// The content of a response.
    public struct ResultSet: Sendable, Equatable {
        /// The total number of results, which may exceed the number of those in this response.
        public let total: Int
        public let questions: [Question]
    }

    /// The reason why a response cannot be parsed, with the line number, counted from 1.
    public struct Flaw: Error, Sendable, Hashable, CustomStringConvertible {
        public let line: Int
        public let reason: String

        public var description: String { "the questions cannot be read: \(reason), on line \(line)" }
    }

    /// - Throws: a ``Flaw``.
    public static func parse(_ data: Data) throws(Flaw) -> ResultSet {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        let isWhole = parser.parse()
        if let flaw = reader.flaw { throw flaw }
        guard isWhole else {
            let code = (parser.parserError as? NSError)?.code ?? 0
            throw Flaw(line: parser.lineNumber, reason: "it is not XML (error \(code))")
        }
        // XMLParser on Linux does not report truncated text as an error.
        guard reader.isComplete else { throw Flaw(line: parser.lineNumber, reason: "it is incomplete") }
        guard let total = reader.total else { throw Flaw(line: 1, reason: "there is no ResultSet with totalResults") }
        return ResultSet(total: total, questions: reader.questions)
    }
}

/// Collects the questions. The parser calls it for one element after another, on one thread.
private final class Reader: NSObject, XMLParserDelegate {
    private(set) var total: Int?
    private(set) var questions: [Question] = []
    private(set) var flaw: QuestionParser.Flaw?
    /// Whether the root element is complete.
    private(set) var isComplete = false
    private var depth = 0
    private var fields: [String: String] = [:]
    private var text = ""

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        text = ""
        depth += 1
        if element == "ResultSet" { total = attributes["totalResults"].flatMap { Int($0) } }
        if element == "Question" { fields = [:] }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        depth -= 1
        isComplete = depth == 0
        guard element == "Question" else {
            fields[element] = text
            return
        }
        do throws(QuestionParser.Flaw) { questions.append(try question(parser.lineNumber)) } catch {
            flaw = error
            parser.abortParsing()
        }
    }

    private func question(_ line: Int) throws(QuestionParser.Flaw) -> Question {
        func field<Content>(_ name: String, _ read: (String) -> Content?) throws(QuestionParser.Flaw) -> Content {
            guard let text = fields[name] else { throw .init(line: line, reason: "a question has no \(name)") }
            guard let content = read(text) else { throw .init(line: line, reason: "“\(text)” is not a valid \(name)") }
            return content
        }
        return Question(
            id: try field("Id") { Int($0) }, text: try field("Content") { $0.isEmpty ? nil : $0 },
            condition: try field("Condition", Question.Condition.init(rawValue:)),
            numberOfAnswers: try field("AnswerCount") { Int($0) }, date: try field("PostedDate") { $0 })
    }
}
