import Questions
import SceneManager
import Terminal

/// A search field, and below it the results that have arrived, with a last row that loads more:
/// `search?q=…&count=40&row=3`.
final class SearchScene: Scene {
    private let list: QuestionList
    private var editor: LineEditor
    /// The search whose results are shown; the text in the field may differ.
    private var query: String
    /// How many results to load.
    private var wanted: Int
    private var row: Int

    init(_ address: SceneAddress, _ list: QuestionList) throws {
        (self.list, query) = (list, address["q"] ?? "")
        editor = LineEditor(query)
        wanted = max(QuestionList.step, try address.number("count", from: 0) ?? 0)
        row = try address.number("row", from: 0) ?? 0
    }

    private var isLoading: Bool { list.state == .loading }
    private var hasNewQuery: Bool { editor.text != query }
    /// Whether the list has the results of this search. Until this scene loads, it may have those of another search.
    private var isCurrent: Bool { list.query == query }
    /// The last row loads more, and shows the progress or the failure.
    private var rowCount: Int { isCurrent ? list.count + (list.isComplete && list.state == .idle ? 0 : 1) : 0 }
    private var chosen: Int { max(0, min(row, rowCount - 1)) }

    var title: String {
        let range =
            switch isCurrent ? list.total : nil {
            case nil: isLoading ? "loading" : "not loaded"
            case 0: "nothing found"
            case let total?: "1–\(list.count) of \(total)"
            }
        return (query.isEmpty ? "All questions" : "Questions “\(query)”") + ": \(range)"
    }

    var hint: String {
        let enter = hasNewQuery ? "search" : list.get(chosen) == nil ? "load" : "open"
        return "type to search   ↑ ↓: choose   " + (isLoading ? "esc: stop loading" : "enter: \(enter)")
    }

    var address: SceneAddress {
        var address = SceneAddress("search")
        address["q"] = query.isEmpty ? nil : query
        let count = isLoaded ? max(wanted, list.count) : wanted
        address["count"] = count == QuestionList.step ? nil : "\(count)"
        address["row"] = row == 0 ? nil : "\(row)"
        return address
    }

    var isLoaded: Bool { isCurrent && !list.isMissing(upTo: wanted) }

    func load() async throws { try await list.load(query, upTo: wanted) }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.up): row = max(0, chosen - 1)
        case .key(.down): row = chosen + 1 < rowCount ? chosen + 1 : chosen
        case .key(.enter): return enter()
        case .key(.escape) where isLoading: return .cancel
        // In an empty field, Backspace goes back to the previous screen.
        case .key(.backspace) where editor.text.isEmpty: return .pass
        default: return editor.apply(event) ? .redraw : .pass
        }
        return .redraw
    }

    /// Carries out the order `next`: loads the next results, as Enter on the last row does.
    func take(_ order: SceneAddress) throws -> SceneAction? {
        guard order.name == "next" else { return nil }
        guard !list.isComplete else { throw SceneRefusal("all results are in the list", code: "last-page") }
        row = list.count
        return more()
    }

    /// Selects the question that was viewed last. The user may have moved on from the question that was opened here.
    func take(_ moment: SceneMoment) {
        guard moment == .restore, isCurrent else { return }
        if let seen = list.seen.flatMap(list.place) { row = seen }
    }

    private func enter() -> SceneAction {
        if hasNewQuery {
            (query, wanted, row) = (editor.text, QuestionList.step, 0)
            return .load
        }
        if let question = list.get(chosen) {
            return .go(.push(SceneAddress("question", argument: "\(question.id)")))
        }
        row = chosen
        return isLoading ? .redraw : more()
    }

    /// Loads the next results. The selected row then shows the first of them.
    private func more() -> SceneAction {
        wanted = max(wanted, list.count + QuestionList.step)
        return .load
    }
}

extension SearchScene {
    func draw(on canvas: inout Canvas) {
        let (text, cursor) = editor.window(columns: max(2, canvas.size.columns - 11))
        canvas.write("Search: " + text, at: Position(row: 0, column: 1))
        canvas.cursor = Position(row: 0, column: 9 + cursor)
        let visible = max(1, canvas.size.rows - 2)
        // Scroll so that the selected row is visible.
        let first = max(0, chosen - visible + 1)
        for place in first..<max(first, min(rowCount, first + visible)) {
            draw(place, on: &canvas, row: 2 + place - first)
        }
        guard isCurrent, list.total == 0 else { return }
        canvas.write("No question contains all of these words.", at: Position(row: 2, column: 1))
    }

    private func draw(_ place: Int, on canvas: inout Canvas, row: Int) {
        let style = place == chosen ? Style.chosen : .plain
        canvas.fill(row: row, style: style)
        guard let question = list.get(place) else {
            let (text, column) = lastRow
            canvas.write(text, at: Position(row: row, column: column), style: style)
            return
        }
        let answers = "\(question.numberOfAnswers) ans"
        let position = Position(row: row, column: max(1, 8 - answers.count))
        canvas.write("\(answers)  \(question.date)  \(question.text)", at: position, style: style)
    }

    /// The text of the last row, and the column where it begins. The reason of a failure needs more room.
    private var lastRow: (String, Int) {
        switch list.state {
        case .idle: ("next \(min(QuestionList.step, (list.total ?? 0) - list.count))", 22)
        case .loading: ("loading…", 22)
        case .failed(let reason): ("enter: try again   \(reason)", 1)
        }
    }
}
