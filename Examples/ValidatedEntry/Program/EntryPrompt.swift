import EntryRules
import IPC
import Prompts
import Terminal

/// The question of an `entry:` URL, with a field for its answer.
struct EntryPrompt: Prompt {
    private let question: String
    private var field: EntryField
    private var notes: Notes

    init(_ request: OpenURLRequest) throws {
        let rule = try EntryRule(request.host, request.parameters)
        notes = Notes(rule: rule)
        question = "\(request.source) asks for \(rule)"
        guard let field = EntryField(rule, &notes) else { throw OpenURLRequest.Answer.cancelled }
        self.field = field
    }

    mutating func take(_ event: TerminalEvent) -> PromptProgress {
        switch field.take(event, &notes) {
        case .unchanged, .changed: return .open
        case .rejected: return .rejected
        case .ended(nil): return .declined
        case .ended(let answer?): return .answered([answer.item])
        }
    }

    func record(_ reply: [PasteboardItem]?) -> [String] { [question, reply == nil ? "Not answered." : "Answered."] }

    /// Draws the question, the field and a note in three rows at the bottom.
    func over(_ canvas: Canvas) -> Canvas {
        var canvas = canvas
        let row = max(0, canvas.size.rows - 4)
        let (text, cursor) = field.line.window(columns: canvas.size.columns - 2)
        canvas.write(question, at: Position(row: row - 1, column: 0), style: .bold)
        canvas.write("> " + text, at: Position(row: row, column: 0))
        canvas.write(notes.note, at: Position(row: row + 1, column: 2), style: .dim)
        canvas.cursor = Position(row: row, column: 2 + cursor)
        return canvas
    }
}

/// The hooks of the field, which explain each key in a note.
private struct Notes: EntryHooks {
    let rule: EntryRule
    private(set) var note = ""

    mutating func didBegin() { note = "Enter: submit   Escape: decline   ^U: clear" }

    mutating func shouldChange(_ change: EntryChange) -> Bool {
        let typed = change.replacement.isEmpty ? "this change" : "“\(change.replacement)”"
        if change.result == nil { note = "\(typed) is not allowed here" }
        return change.result != nil
    }

    mutating func didChange(_ text: String) { note = "" }

    mutating func shouldReturn(_ text: String, as answer: EntryAnswer?) -> Bool {
        if answer == nil { note = text.isEmpty ? "enter a value first" : "“\(text)” is \(rule.flaw)" }
        return answer != nil
    }
}
