/// Twenty results of a search, and what the last row says.
public struct ResultPage: Sendable, Hashable {
    public static let length = 20

    public let query: String
    /// The place of the first one in all results, from 0.
    public let from: Int
    public let total: Int
    public let questions: [Question]

    /// - Parameter from: from 0; a place behind the end shows the last page, one before the beginning the first.
    public init(_ results: [Question], query: String, from: Int) {
        let last = max(0, results.count - 1) / Self.length * Self.length
        self.query = query
        self.from = min(max(0, from), last)
        total = results.count
        questions = Array(results.dropFirst(self.from).prefix(Self.length))
    }

    /// Where the next page begins; `nil` on the last one.
    public var next: Int? { from + Self.length < total ? from + Self.length : nil }

    /// The last row; `nil` where nothing follows.
    public var nextRow: String? { next.map { "next \(min(Self.length, total - $0))" } }

    /// How many rows can be chosen.
    public var rowCount: Int { questions.count + (next == nil ? 0 : 1) }

    /// “21–40 of 178”.
    public var range: String {
        total == 0 ? "nothing found" : "\(from + 1)–\(from + questions.count) of \(total)"
    }
}
