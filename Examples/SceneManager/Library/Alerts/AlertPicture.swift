public import Terminal

extension Canvas {
    /// Returns this canvas dimmed, with the alert in a box in the middle. A long message is cut. If there are too few
    /// rows all the same, the upper ones are left out, so that the buttons stay visible.
    public func under(_ alert: Alert) -> Canvas {
        let box = Canvas(showing: alert, columns: max(2, size.columns - 6), messageRows: max(0, size.rows - 5))
        var canvas = mixed(with: .black, share: 0.6)
        let spare = size.rows - box.size.rows
        canvas.draw(box, row: min(spare, spare / 2), column: max(0, (size.columns - box.size.columns) / 2))
        return canvas
    }

    /// Draws a box around an alert, with at most this many columns of text, and this many rows of the message.
    private init(showing alert: Alert, columns: Int, messageRows: Int) {
        let buttons = alert.choices.map { "[\($0.label): \($0.key)]" }
        let texts = [alert.title, alert.message, buttons.joined(separator: "  ")]
        let width = min(texts.map(\.displayWidth).max() ?? 0, columns)
        var message = alert.message.wrapped(columns: width)
        if message.count > messageRows { message = message.prefix(max(0, messageRows - 1)) + ["…"] }
        self.init(size: TerminalSize(columns: width + 4, rows: message.count + 5))

        let bar = String(repeating: "─", count: width + 2)
        for row in 0..<size.rows {
            fill(row: row, style: .box)
            for column in [0, size.columns - 1] { write("│", at: Position(row: row, column: column), style: .box) }
        }
        write("╭\(bar)╮", at: Position(row: 0, column: 0), style: .box)
        write("╰\(bar)╯", at: Position(row: size.rows - 1, column: 0), style: .box)
        write(alert.title, at: Position(row: 1, column: 2), style: .boxTitle, columns: width)
        for (row, line) in message.enumerated() { write(line, at: Position(row: 2 + row, column: 2), style: .box) }
        var column = 2
        for (place, button) in buttons.enumerated() {
            let style = place == alert.selected ? Style.chosen : .box
            let start = Position(row: size.rows - 2, column: column)
            column = write(button, at: start, style: style, columns: max(0, width + 2 - column)) + 2
        }
    }
}

extension Style {
    fileprivate static let box = Style(foreground: .white, background: .rgb(red: 60, green: 60, blue: 60))

    fileprivate static let boxTitle = {
        var style = box
        style.isBold = true
        return style
    }()
}
