internal import Foundation
public import Questions

/// All questions of the server, and a search for words in them.
public struct QuestionLibrary: Sendable {
    private let questions: [Question]
    /// The text of each question, in a form in which case and the width of letters make no difference.
    private let folded: [String]

    public init(_ questions: [Question]) {
        self.questions = questions
        folded = questions.map { Self.fold($0.text) }
    }

    /// The questions that come with the server.
    /// - Throws: an error if the file cannot be read.
    public static func bundled() throws -> QuestionLibrary {
        guard let file = Bundle.module.url(forResource: "questions", withExtension: "xml", subdirectory: "Data") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return QuestionLibrary(try QuestionParser.parse(Array(try Data(contentsOf: file))).questions)
    }

    public func question(_ id: Question.ID) -> Question? { questions.first { $0.id == id } }

    /// The questions that contain every word of the query, newest first; all questions if the query is empty. Case and
    /// the width of letters make no difference: “ｓｗｉｆｔ” finds “Swift”, “ｶﾚｰ” finds “カレー”.
    public func search(_ query: String) -> [Question] {
        let words = Self.fold(query).split(whereSeparator: \.isWhitespace)
        return questions.indices.reversed().filter { place in words.allSatisfy { folded[place].contains($0) } }
            .map { questions[$0] }
    }

    /// Compatibility composition (Unicode Standard Annex 15) maps all widths of a letter to one.
    private static func fold(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping.lowercased() }
}
