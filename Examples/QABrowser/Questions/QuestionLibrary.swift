internal import Foundation

/// All questions, and the search in them: a value that every screen shares.
public struct QuestionLibrary: Sendable {
    private let questions: [Question]
    /// The text of each, as it is compared.
    private let folded: [String]
    private let places: [Question.ID: Int]

    public init(_ questions: [Question]) {
        self.questions = questions
        folded = questions.map { Self.fold($0.text) }
        places = Dictionary(questions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The ones that come with the program.
    /// - Throws: a ``QuestionParser/Flaw``, or why the file cannot be read.
    public static func bundled() throws -> QuestionLibrary {
        guard let file = Bundle.module.url(forResource: "questions", withExtension: "xml", subdirectory: "Data") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return QuestionLibrary(try QuestionParser.parse(try Data(contentsOf: file)).questions)
    }

    public var count: Int { questions.count }

    public func question(_ id: Question.ID) -> Question? { places[id].map { questions[$0] } }

    /// The questions that hold every word, the newest first; all of them for no word. Capital letters and the width of letters
    /// make no difference: “ｓｗｉｆｔ” finds “Swift”, “ｶﾚｰ” finds “カレー”.
    public func search(_ query: String) -> [Question] {
        let words = Self.fold(query).split(whereSeparator: \.isWhitespace)
        return questions.indices.reversed().filter { place in words.allSatisfy { folded[place].contains($0) } }
            .map { questions[$0] }
    }

    /// Compatibility composition (Unicode Standard Annex 15) makes one of all widths.
    private static func fold(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping.lowercased() }
}
