/// Up to twenty results of a search, and the text of the last row.
public struct ResultPage: Sendable, Hashable {
    public static let length = 20

    public let query: String
    /// The position of the page's first result among all results, from 0.
    public let from: Int
    public let total: Int
    public let questions: [Question]

    /// - Parameter from: the first result's position, from 0; beyond the end means the last page, below 0 the first.
    public init(_ results: [Question], query: String, from: Int) {
        let last = max(0, results.count - 1) / Self.length * Self.length
        self.query = query
        self.from = min(max(0, from), last)
        total = results.count
        questions = Array(results.dropFirst(self.from).prefix(Self.length))
    }

    /// The position at which the next page begins; `nil` on the last page.
    public var next: Int? { from + Self.length < total ? from + Self.length : nil }

    /// The text of the last row, such as “next 20”; `nil` on the last page.
    public var nextRow: String? { next.map { "next \(min(Self.length, total - $0))" } }

    /// The number of rows that can be selected.
    public var rowCount: Int { questions.count + (next == nil ? 0 : 1) }

    /// The positions of the results, such as “21–40 of 178”.
    public var range: String {
        total == 0 ? "nothing found" : "\(from + 1)–\(from + questions.count) of \(total)"
    }
}
