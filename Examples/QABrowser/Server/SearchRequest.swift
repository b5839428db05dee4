import HTTPTypes
import Hummingbird
import HummingbirdCore
import Questions

/// A request to the web API.
struct SearchRequest: Sendable {
    /// A special word that makes the answer slow or faulty, and is not searched for.
    enum Trial: String, Sendable {
        case slow = ":slow"
        case fail = ":fail"
        case cut = ":cut"
    }

    /// The words to search for.
    let words: String
    let trials: Set<Trial>
    /// The only question to return; `nil` for a search.
    let id: Question.ID?
    /// The position of the first result, counted from 1.
    let start: Int
    let results: Int

    /// - Throws: the reason why a parameter is rejected, with the status 400.
    init(_ request: Request, _ context: some RequestContext) throws(HTTPError) {
        guard let form = try? request.uri.decodeQuery(as: [String: String].self, context: context) else {
            throw HTTPError(.badRequest, message: "the parameters are badly encoded, or one occurs twice")
        }
        id = try Self.number("id", in: 1...Int.max, of: form)
        start = try Self.number("start", in: 1...Int.max, of: form) ?? 1
        results = try Self.number("results", in: 1...QuestionList.most, of: form) ?? QuestionList.step
        let words = (form["query"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        trials = Set(words.compactMap(Trial.init))
        self.words = words.filter { Trial(rawValue: $0) == nil }.joined(separator: " ")
    }

    private static func number(
        _ name: String, in range: ClosedRange<Int>, of form: [String: String]
    ) throws(HTTPError) -> Int? {
        guard let text = form[name] else { return nil }
        if let number = Int(text), range.contains(number) { return number }
        let last = range.upperBound == .max ? "" : " to \(range.upperBound)"
        throw HTTPError(.badRequest, message: "\(name)=\(text): must be a number from \(range.lowerBound)\(last)")
    }
}
