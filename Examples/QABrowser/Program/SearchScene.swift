import Questions
import SceneManager
import Terminal

/// A search field, and twenty results below it: `search?q=…&from=20&row=3`.
final class SearchScene: Scene {
    private let list: SharedList
    private var editor: LineEditor
    private var page: ResultPage
    private var row: Int

    init(_ address: SceneAddress, _ list: SharedList) throws {
        self.list = list
        editor = LineEditor(address["q"] ?? "")
        page = ResultPage(
            list.results(editor.text), query: editor.text, from: try address.checkedNumber("from") ?? 0)
        row = min(try address.checkedNumber("row") ?? 0, max(0, page.rowCount - 1))
    }

    var title: String { (page.query.isEmpty ? "All questions" : "Questions “\(page.query)”") + ": \(page.range)" }
    let hint = "type to search   ↑ ↓: choose   enter: open"

    var address: SceneAddress {
        var address = SceneAddress("search")
        address["q"] = editor.text.isEmpty ? nil : editor.text
        address["from"] = page.from == 0 ? nil : "\(page.from)"
        address["row"] = row == 0 ? nil : "\(row)"
        return address
    }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.up): row = max(0, row - 1)
        case .key(.down): row = min(max(0, page.rowCount - 1), row + 1)
        case .key(.enter): return open()
        // In an empty field, Backspace goes back to the previous screen.
        case .key(.backspace) where editor.text.isEmpty: return .pass
        default:
            guard editor.apply(event) else { return .pass }
            search()
        }
        return .redraw
    }

    /// Carries out the order `next`, which opens the next page of results, like Enter on the last row.
    func take(_ order: SceneAddress) throws -> SceneAction? {
        guard order.name == "next" else { return nil }
        guard page.next != nil else { throw SceneRefusal("this is the last page", code: "last-page") }
        row = page.questions.count
        return open()
    }

    /// Selects the question that was viewed last. The user may have moved on from the question that was opened here.
    func restore() {
        if let seen = page.questions.firstIndex(where: { $0.id == list.seen }) { row = seen }
    }

    private func search() {
        guard editor.text != page.query else { return }
        page = ResultPage(list.results(editor.text), query: editor.text, from: 0)
        row = 0
    }

    private func open() -> SceneAction {
        if page.questions.indices.contains(row) {
            var chosen = SceneAddress("question", argument: "\(page.questions[row].id)")
            chosen["q"] = page.query.isEmpty ? nil : page.query
            return .go(.push(chosen))
        }
        guard let next = page.next else { return .pass }
        var further = SceneAddress("search")
        further["q"] = page.query.isEmpty ? nil : page.query
        further["from"] = "\(next)"
        return .go(.push(further), by: Transition(.slide(forward: true), .milliseconds(200)))
    }
}

extension SearchScene {
    func draw(on canvas: inout Canvas) {
        let (text, cursor) = editor.window(columns: max(2, canvas.size.columns - 11))
        canvas.write("Search: " + text, at: Position(row: 0, column: 1))
        canvas.cursor = Position(row: 0, column: 9 + cursor)
        let visible = max(1, canvas.size.rows - 2)
        // Scroll so that the selected row is visible.
        let first = max(0, row - visible + 1)
        for place in first..<min(page.rowCount, first + visible) {
            draw(place, on: &canvas, row: 2 + place - first)
        }
        if page.total == 0 { canvas.write("No question contains all of these words.", at: Position(row: 2, column: 1)) }
    }

    private func draw(_ place: Int, on canvas: inout Canvas, row: Int) {
        let style = place == self.row ? Style.chosen : .plain
        canvas.fill(row: row, style: style)
        guard page.questions.indices.contains(place) else {
            canvas.write(page.nextRow ?? "", at: Position(row: row, column: 22), style: style)
            return
        }
        let question = page.questions[place]
        let answers =
            String(repeating: " ", count: max(0, 3 - "\(question.numberOfAnswers)".count))
            + "\(question.numberOfAnswers)"
        canvas.write("\(answers) ans", at: Position(row: row, column: 1), style: style)
        canvas.write(question.date, at: Position(row: row, column: 10), style: style)
        canvas.write(question.text, at: Position(row: row, column: 22), style: style)
    }
}

extension SceneAddress {
    /// The value of a parameter as a number from 0; `nil` if it is missing.
    func checkedNumber(_ name: String) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw SceneRefusal("\(name)=\(text): must be a number from 0", code: "no-number")
        }
        return number
    }
}
