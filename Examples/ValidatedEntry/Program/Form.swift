import Terminal

/// What the screen shows: a question with a field for its answer, and the last messages. A value that can be drawn.
struct Form {
    var title: String
    var hint: String
    /// The question above the field; empty if there is none.
    var question = ""
    /// The field; `nil` if there is no question.
    var field: LineEditor?
    var messages: [String] = []

    /// The field stays at one place, whatever is shown around it.
    private static let fieldRow = 3
    private static let label = "> "

    /// Draws the form.
    func canvas(size: TerminalSize) -> Canvas {
        var canvas = Canvas(size: size)
        let last = size.rows - 1
        canvas.fill(row: 0, style: .reversed)
        canvas.write(" " + title, at: Position(row: 0, column: 0), style: .reversed)
        canvas.write(question, at: Position(row: Self.fieldRow - 1, column: 0), style: .bold)
        let top = Self.fieldRow + 2
        for (row, message) in messages.suffix(max(0, last - 1 - top)).enumerated() {
            canvas.write(message, at: Position(row: top + row, column: 0))
        }
        if last > Self.fieldRow { canvas.write(" " + hint, at: Position(row: last, column: 0), style: .dim) }
        if let field {
            let column = Self.label.displayWidth
            let (text, cursor) = field.window(columns: size.columns - column)
            canvas.write(Self.label + text, at: Position(row: Self.fieldRow, column: 0))
            canvas.cursor = Position(row: Self.fieldRow, column: column + cursor)
        }
        return canvas
    }
}
