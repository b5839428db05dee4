/// A question as the service gives it.
public struct Question: Sendable, Hashable, Identifiable {
    /// What has become of it.
    public enum Condition: String, Sendable, Hashable {
        case open, vote, solved
    }

    public let id: Int
    public let text: String
    public let condition: Condition
    public let numberOfAnswers: Int
    /// When it was asked: year, month and day with dashes between (ISO 8601).
    public let date: String

    public init(id: Int, text: String, condition: Condition, numberOfAnswers: Int, date: String) {
        (self.id, self.text, self.condition) = (id, text, condition)
        (self.numberOfAnswers, self.date) = (numberOfAnswers, date)
    }
}
