import Questions

/// The one list that all screens share: the results of the latest search, and which of them was looked at last.
@MainActor
final class SharedList {
    private let library: QuestionLibrary
    private var latest: (query: String, results: [Question])?
    /// The question that was looked at last.
    var seen: Question.ID?

    init(_ library: QuestionLibrary) { self.library = library }

    func question(_ id: Question.ID) -> Question? { library.question(id) }

    /// Searches when the query is another one than before.
    func results(_ query: String) -> [Question] {
        if let latest, latest.query == query { return latest.results }
        let results = library.search(query)
        latest = (query, results)
        return results
    }

    /// The question so many rows further in the results of a search; `nil` beyond its ends, or where it is not among them.
    func neighbour(of id: Question.ID, in query: String, by distance: Int) -> Question? {
        let results = results(query)
        guard let place = results.firstIndex(where: { $0.id == id }), results.indices.contains(place + distance) else {
            return nil
        }
        return results[place + distance]
    }
}
