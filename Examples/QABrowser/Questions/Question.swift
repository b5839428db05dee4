/// A question, as a web API would return it.
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

    public init(id: Int, text: String, condition: Condition, numberOfAnswers: Int, date: String) {
        (self.id, self.text, self.condition) = (id, text, condition)
        (self.numberOfAnswers, self.date) = (numberOfAnswers, date)
    }
}
