/// The one list that all screens share: the results of a search that have arrived so far, and the loading of more.
@MainActor
public final class QuestionList {
    /// Asks the server for results, at most `results` of them, from the position `start`, which is counted from 1.
    public typealias Search = @Sendable (_ query: String, _ start: Int, _ results: Int) async throws -> ResultSet

    public enum State: Sendable, Equatable {
        case idle, loading
        /// The latest load failed or was cancelled; the list is as it was before.
        case failed(String)
    }

    /// The number of questions that one step adds, and the maximum that the server returns at once.
    public nonisolated static let (step, most) = (20, 100)

    /// The search whose results these are; `nil` before the first one.
    public private(set) var query: String?
    /// The total number of results on the server; `nil` before the first answer.
    public private(set) var total: Int?
    public private(set) var state = State.idle
    /// The question that was viewed last.
    public var seen: Question.ID?
    private var questions: [Question] = []
    private var places: [Question.ID: Int] = [:]
    private let search: Search
    /// How many loads have begun. Only the latest one may change the list.
    private var begun = 0

    public init(search: @escaping Search) { self.search = search }

    /// The number of questions that have arrived.
    public var count: Int { questions.count }

    /// Whether all results have arrived.
    public var isComplete: Bool { count == total }

    /// Whether fewer than `count` questions have arrived although there are more.
    public func isMissing(upTo count: Int) -> Bool { total.map { self.count < min(count, $0) } ?? true }

    /// Returns the question at a place, counted from 0; `nil` if it has not arrived.
    public func get(_ place: Int) -> Question? { questions.indices.contains(place) ? questions[place] : nil }

    /// The place of a question, counted from 0; `nil` if it has not arrived.
    public func place(of id: Question.ID) -> Int? { places[id] }

    /// Removes everything, for the results of another search.
    public func clear(for query: String) {
        (self.query, total, questions, places) = (query, nil, [], [:])
    }

    /// Adds the next results.
    /// - Throws: a ``Gap`` if they do not follow the results in the list, which is then unchanged.
    public func add(_ results: ResultSet) throws(Gap) {
        guard results.first == count + 1, !results.questions.isEmpty || results.total <= count else { throw Gap() }
        total = results.total
        for question in results.questions {
            places[question.id] = count
            questions.append(question)
        }
    }

    /// Loads the results of a search until the list has `count` of them, or all. If the list has the results of another
    /// search, it is cleared first. A load that is still in progress can no longer change the list.
    /// - Throws: a `CancellationError` after the start of another load; a ``Gap``; the errors of the search.
    public func load(_ query: String, upTo count: Int) async throws {
        if self.query != query { clear(for: query) }
        begun += 1
        let mine = begun
        state = .loading
        do {
            while isMissing(upTo: count) {
                let results = try await search(query, self.count + 1, min(count - self.count, Self.most))
                guard mine == begun else { throw CancellationError() }
                try add(results)
            }
            state = .idle
        } catch {
            if mine == begun { state = .failed(Task.isCancelled ? "cancelled" : "\(error)") }
            throw error
        }
    }

    /// The error for an answer that would leave a gap in the list.
    public struct Gap: Error, CustomStringConvertible {
        public let description = "the server did not return the requested results"
    }
}
