/// A question, as the web API returns it.
public struct Question: Sendable, Hashable, Identifiable {
    /// The state of a question.
    public enum Condition: String, Sendable, Hashable {
        case open, vote, solved
    }

    public let id: Int
    public let text: String
    public let condition: Condition
    public let numberOfAnswers: Int
    /// The day on which the question was asked, such as `2019-08-13` (ISO 8601).
    public let date: String
    /// The question's own page, with its answers, and its page for phones; empty if the API does not name them.
    public var url, mobileURL: String

    public init(
        id: Int, text: String, condition: Condition, numberOfAnswers: Int, date: String, url: String = "",
        mobileURL: String = ""
    ) {
        (self.id, self.text, self.condition, self.numberOfAnswers) = (id, text, condition, numberOfAnswers)
        (self.date, self.url, self.mobileURL) = (date, url, mobileURL)
    }
}

/// Some of the results of a search.
public struct ResultSet: Sendable, Equatable {
    /// The total number of results, which may exceed the number of those in this set.
    public let total: Int
    /// The position of the first question among all results, counted from 1.
    public let first: Int
    public let questions: [Question]

    public init(total: Int, first: Int, questions: [Question]) {
        (self.total, self.first, self.questions) = (total, first, questions)
    }
}
