import SceneManager
import Terminal

/// A line of text, with an alert before it is cleared: `note?text=…`.
final class NoteScene: Scene {
    private var editor: LineEditor

    init(_ address: SceneAddress) { editor = LineEditor(address["text"] ?? "") }

    let title = "Note"
    let hint = "type to edit   ^X: clear"

    var address: SceneAddress {
        var address = SceneAddress("note")
        address["text"] = editor.text.isEmpty ? nil : editor.text
        return address
    }

    func draw(on canvas: inout Canvas) {
        let (text, cursor) = editor.window(columns: max(2, canvas.size.columns - 7))
        canvas.write("> " + text, at: Position(row: 2, column: 3))
        canvas.cursor = Position(row: 2, column: 5 + cursor)
    }

    func take(_ event: TerminalEvent) -> SceneAction {
        if event == .key(.control("x")) { return clear() }
        // On an empty line, Backspace goes back.
        if event == .key(.backspace), editor.text.isEmpty { return .pass }
        return editor.apply(event) ? .redraw : .pass
    }

    /// Carries out the order `clear`.
    func take(_ order: SceneAddress) throws -> SceneAction? { order.name == "clear" ? clear() : nil }

    private func clear() -> SceneAction {
        guard !editor.text.isEmpty else { return .redraw }
        let alert = Alert.confirming(
            "Clear the note?", message: "“\(editor.text)” will be lost.", doing: "Clear")
        return .ask(alert) { [self] answer in
            if answer == Alert.confirmed { editor.clear() }
            return .redraw
        }
    }
}
