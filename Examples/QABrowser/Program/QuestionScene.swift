import Questions
import SceneManager
import Terminal

/// One question, in a plain or a narrow view: `question/ID?q=…&view=narrow`. The parameter `q` is the search in whose
/// results the next question is looked up.
final class QuestionScene: Scene {
    private let list: SharedList
    private let question: Question
    private let query: String
    private let views: ChildScenes

    init(_ address: SceneAddress, _ list: SharedList) throws {
        guard let question = address.argument.flatMap({ Int($0) }).flatMap(list.question) else {
            throw SceneRefusal("there is no question “\(address.argument ?? "")”", code: "no-such-question")
        }
        guard ["plain", "narrow", nil].contains(address["view"]) else {
            throw SceneRefusal("view=\(address["view"] ?? ""): the views are plain and narrow", code: "no-such-view")
        }
        (self.list, self.question, query) = (list, question, address["q"] ?? "")
        views = ChildScenes(
            [{ QuestionView(question, columns: nil) }, { QuestionView(question, columns: 36) }],
            showing: address["view"] == "narrow" ? 1 : 0)
        list.seen = question.id
    }

    var title: String { "Question \(question.id)" + (views.place == 1 ? " (narrow)" : "") }
    let hint = "v: plain or narrow   n p: next, previous"

    var address: SceneAddress {
        var address = SceneAddress("question", argument: "\(question.id)")
        address["view"] = views.place == 1 ? "narrow" : nil
        address["q"] = query.isEmpty ? nil : query
        return address
    }

    func draw(on canvas: inout Canvas) { views.current.draw(on: &canvas) }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.character("v")):
            views.turn(to: 1 - views.place, by: Transition(.flip, .milliseconds(250))).map(SceneAction.turn) ?? .redraw
        case .key(.character("n")), .key(.right): go(1)
        case .key(.character("p")), .key(.left): go(-1)
        default: .pass
        }
    }

    func restore() { list.seen = question.id }

    private func go(_ distance: Int) -> SceneAction {
        guard let neighbour = list.neighbour(of: question.id, in: query, by: distance) else { return .redraw }
        var other = address
        other.argument = "\(neighbour.id)"
        return .go(.replace(other), by: Transition(.slide(forward: distance > 0), .milliseconds(200)))
    }
}

/// The text of a question, as wide as the terminal or in a narrower column.
final class QuestionView: Scene {
    private let question: Question
    private let columns: Int?

    /// - Parameter columns: the width of the column; `nil` means the whole width.
    init(_ question: Question, columns: Int?) { (self.question, self.columns) = (question, columns) }

    let title = ""
    var address: SceneAddress { SceneAddress("view") }

    func draw(on canvas: inout Canvas) {
        let width = min(columns ?? .max, max(2, canvas.size.columns - 4))
        let left = (canvas.size.columns - width) / 2
        let head =
            columns == nil
            ? ["\(question.date)   \(question.condition.rawValue)   \(question.numberOfAnswers) answers"]
            : [question.date, question.condition.rawValue, "\(question.numberOfAnswers) answers"]
        for (row, line) in (head + [""] + question.text.wrapped(columns: width)).enumerated() {
            let style = row < head.count ? Style.dim : .plain
            canvas.write(line, at: Position(row: 1 + row, column: left), style: style, columns: width)
        }
    }
}
