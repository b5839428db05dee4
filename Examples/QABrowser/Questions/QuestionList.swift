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

    /// Adds the next results, of which at most `requested` were requested.
    /// - Throws: a ``Mismatch`` if they do not continue the list, in which no question occurs twice; then nothing has
    ///   changed.
    public func add(_ results: ResultSet, requested: Int = most) throws(Mismatch) {
        let (new, end) = (results.questions.count, count + results.questions.count)
        guard results.first == count + 1 else {
            throw Mismatch(reason: "its results start at \(results.first), not at \(count + 1)")
        }
        guard new <= requested else { throw Mismatch(reason: "it sent \(new) results, not at most \(requested)") }
        guard end == results.total || new > 0 && end < results.total else {
            throw Mismatch(reason: "its results end at \(end), but it states a total of \(results.total)")
        }
        var places = places
        for (place, question) in zip(count..., results.questions) {
            guard places.updateValue(place, forKey: question.id) == nil else {
                throw Mismatch(reason: "it sent question \(question.id) twice")
            }
        }
        (total, self.places, questions) = (results.total, places, questions + results.questions)
    }

    /// Loads the results of a search until the list has `count` of them, or all. If the list has the results of another
    /// search, it is cleared first. A load that is still in progress can no longer change the list.
    /// - Throws: a `CancellationError` after the start of another load; a ``Mismatch``; the errors of the search.
    public func load(_ query: String, upTo count: Int) async throws {
        if self.query != query { clear(for: query) }
        begun += 1
        let mine = begun
        state = .loading
        do {
            while isMissing(upTo: count) {
                let requested = min(count - self.count, Self.most)
                let results = try await search(query, self.count + 1, requested)
                guard mine == begun else { throw CancellationError() }
                try add(results, requested: requested)
            }
            state = .idle
        } catch {
            if mine == begun { state = .failed(Task.isCancelled ? "cancelled" : "\(error)") }
            throw error
        }
    }

    /// The reason why the server's answer does not continue the list.
    public struct Mismatch: Error, Hashable, CustomStringConvertible {
        let reason: String
        public var description: String { "the server's answer is wrong: \(reason)" }
    }
}
