import IPC
import Questions
import SceneManager
import Terminal

/// One question with its answers, in a plain or a narrow view: `question/ID?view=narrow`.
final class QuestionScene: Scene {
    private let list: QuestionList
    private let api: QuestionAPI
    private let app: Application
    private let id: Question.ID
    private let document: QuestionDocument
    private let views: ChildScenes

    init(_ address: SceneAddress, _ list: QuestionList, _ api: QuestionAPI, _ app: Application) throws {
        guard let id = address.argument.flatMap({ Int($0) }) else {
            throw SceneRefusal("there is no question “\(address.argument ?? "")”", code: "no-such-question")
        }
        guard ["plain", "narrow", nil].contains(address["view"]) else {
            throw SceneRefusal("view=\(address["view"] ?? ""): the views are plain and narrow", code: "no-such-view")
        }
        (self.list, self.api, self.app, self.id) = (list, api, app, id)
        let document = QuestionDocument(list.place(of: id).flatMap(list.get))
        self.document = document
        views = ChildScenes(
            [{ QuestionView(document, columns: .max) }, { QuestionView(document, columns: 36) }],
            showing: address["view"] == "narrow" ? 1 : 0)
        list.seen = id
    }

    var title: String { "Question \(id)" + (views.place == 1 ? " (narrow)" : "") }
    var hint: String {
        document.failure == nil ? "↑ ↓: scroll   v: view   n p: neighbours   o m: browser" : "enter: try again"
    }

    var address: SceneAddress {
        var address = SceneAddress("question", argument: "\(id)")
        address["view"] = views.place == 1 ? "narrow" : nil
        return address
    }

    var isLoaded: Bool { document.page != nil }

    /// Asks the API for the question, unless it is in the list, and then for its page.
    func load() async throws {
        document.failure = nil
        do {
            let question = if let known = document.question { known } else { try await api.question(id) }
            document.question = question
            document.page = try await api.page(of: question)
        } catch {
            document.failure = Task.isCancelled ? "cancelled" : "\(error)"
            throw error
        }
    }

    func draw(on canvas: inout Canvas) { views.current.draw(on: &canvas) }

    func take(_ event: TerminalEvent) -> SceneAction {
        switch event {
        case .key(.character("v")):
            return views.turn(to: 1 - views.place, by: Transition(.flip, .milliseconds(250)))
        case .key(.character("n")), .key(.right): return go(1)
        case .key(.character("p")), .key(.left): return go(-1)
        case .key(.character("o")): return open(document.question?.url)
        case .key(.character("m")): return open(document.question?.mobileURL)
        case .key(.enter): return .load
        default: return document.scroll(by: event) ? .redraw : .pass
        }
    }

    func take(_ moment: SceneMoment) {
        if moment == .restore { list.seen = id }
    }

    /// Opens a page in the user's browser, and then resumes the load that this interrupted. The broker passes the URL to
    /// the desktop, unless an application has claimed its scheme. Only web pages are opened, because the server must not
    /// choose which program gets a URL.
    private func open(_ url: String?) -> SceneAction {
        .run { [app] in
            guard let url else { throw SceneRefusal("the question has not been loaded yet", code: "not-loaded") }
            guard let parts = try? URLParts(of: url), ["http", "https"].contains(parts.scheme) else {
                throw SceneRefusal("the server names “\(url)”, which is not a web page", code: "no-page")
            }
            do {
                let response = try await app.open(url)
                guard !response.isHandled else { return .load }
                throw SceneRefusal(response.errorMessage ?? response.outcome.rawValue, code: "not-opened")
            } catch let error as IPCError where error.code == .noHandler {
                throw SceneRefusal("there is no browser: \(error.message)", code: "no-browser")
            }
        }
    }

    /// Shows a neighbour of this question in the list. If it is not in the list yet, this loads the next results first.
    private func go(_ distance: Int) -> SceneAction {
        guard let place = list.place(of: id), let query = list.query else {
            return .run { throw SceneRefusal("this question is not in the list; go back", code: "not-listed") }
        }
        if let neighbour = list.get(place + distance) {
            var other = address
            other.argument = "\(neighbour.id)"
            return .go(.replace(other), by: Transition(.slide(forward: distance > 0), .milliseconds(200)))
        }
        guard distance > 0, !list.isComplete else { return .redraw }
        return .run { [self] in
            try await list.load(query, upTo: list.count + QuestionList.step)
            return go(distance)
        }
    }
}

/// The content that both views of a question show.
@MainActor
final class QuestionDocument {
    var question: Question?
    var page: PageText?
    /// The reason why the page is not loaded; `nil` if there is none.
    var failure: String?
    /// The number of lines above the screen, and how many fit on it.
    private var scrolled = 0
    private var height = 1

    init(_ question: Question?) { self.question = question }

    /// The paragraphs of the page. Until it arrives, the question from the list, and the progress.
    var paragraphs: [PageText.Paragraph] {
        if let page { return page.paragraphs }
        let state = failure.map { "The answers are not loaded: \($0)" } ?? "loading…"
        return (question.map { [.init(.heading, $0.text)] } ?? []) + [.init(.small, state)]
    }

    /// Scrolls by a key; returns `false` for any other event.
    func scroll(by event: TerminalEvent) -> Bool {
        switch event {
        case .key(.up): scrolled -= 1
        case .key(.down): scrolled += 1
        case .key(.pageUp): scrolled -= height
        case .key(.pageDown), .key(.character(" ")): scrolled += height
        default: return false
        }
        return true
    }

    /// Draws lines of this width in the middle. A position outside the text is corrected first.
    func draw(_ lines: [(String, Style)], width: Int, on canvas: inout Canvas) {
        height = max(1, canvas.size.rows - 2)
        scrolled = max(0, min(scrolled, lines.count - 1 - height))
        for (row, (text, style)) in lines[scrolled...].prefix(height).enumerated() {
            let left = Position(row: 1 + row, column: (canvas.size.columns - width) / 2)
            canvas.write(text, at: left, style: style, columns: width)
        }
    }
}

/// A view of a question, in a column of a limited width.
final class QuestionView: Scene {
    private let document: QuestionDocument
    private let columns: Int
    /// The lines of these paragraphs in this width. They are kept for the next time, because a page may be long.
    private var (paragraphs, width, lines): ([PageText.Paragraph], Int, [(String, Style)]) = ([], 0, [])

    init(_ document: QuestionDocument, columns: Int) { (self.document, self.columns) = (document, columns) }

    let title = ""
    var address: SceneAddress { SceneAddress("view") }

    func draw(on canvas: inout Canvas) {
        wrap(document.paragraphs, width: min(columns, max(2, canvas.size.columns - 4)))
        document.draw(lines, width: width, on: &canvas)
    }

    private func wrap(_ paragraphs: [PageText.Paragraph], width: Int) {
        guard paragraphs != self.paragraphs || width != self.width else { return }
        (self.paragraphs, self.width) = (paragraphs, width)
        lines = paragraphs.flatMap { paragraph in
            let style: Style = [.heading: .bold, .small: .dim][paragraph.kind] ?? .plain
            return paragraph.text.wrapped(columns: width).map { ($0, style) } + [("", .plain)]
        }
    }
}
