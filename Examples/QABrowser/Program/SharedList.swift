import Questions

/// The list that all screens share: the results of the latest search, and the question that was viewed last.
@MainActor
final class SharedList {
    private let library: QuestionLibrary
    private var latest: (query: String, results: [Question])?
    /// The question that was viewed last.
    var seen: Question.ID?

    init(_ library: QuestionLibrary) { self.library = library }

    func question(_ id: Question.ID) -> Question? { library.question(id) }

    /// Returns the results of a query; searches only if the query has changed.
    func results(_ query: String) -> [Question] {
        if let latest, latest.query == query { return latest.results }
        let results = library.search(query)
        latest = (query, results)
        return results
    }

    /// The question `distance` rows below `id` in the results of a query; `nil` if there is none, or `id` is not a
    /// result.
    func neighbour(of id: Question.ID, in query: String, by distance: Int) -> Question? {
        let results = results(query)
        guard let place = results.firstIndex(where: { $0.id == id }), results.indices.contains(place + distance) else {
            return nil
        }
        return results[place + distance]
    }
}
