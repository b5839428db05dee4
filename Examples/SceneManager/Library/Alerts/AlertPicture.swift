internal import Terminal

extension Canvas {
    /// Returns this canvas dimmed, with the alert in a box in the middle.
    func under(_ alert: Alert) -> Canvas {
        var canvas = mixed(with: .black, share: 0.6)
        let texts = [alert.title, alert.message, alert.buttons.joined(separator: "  ")]
        let width = min(texts.map(\.displayWidth).max() ?? 0, max(2, size.columns - 6))
        let message = alert.message.wrapped(columns: width)
        let left = max(0, (size.columns - width - 4) / 2)
        let top = max(0, (size.rows - message.count - 5) / 2)
        let (frame, title) = (Style.box, Style.boxTitle)

        let bar = String(repeating: "─", count: width + 2)
        let blank = "│" + String(repeating: " ", count: width + 2) + "│"
        var lines: [(edges: String, text: String, style: Style)] = [("╭\(bar)╮", "", frame)]
        lines.append((blank, alert.title, title))
        lines += message.map { (blank, $0, frame) }
        lines += [(blank, "", frame), (blank, "", frame), ("╰\(bar)╯", "", frame)]
        for (offset, line) in lines.enumerated() {
            canvas.write(line.edges, at: Position(row: top + offset, column: left), style: frame)
            let inside = Position(row: top + offset, column: left + 2)
            canvas.write(line.text, at: inside, style: line.style, columns: width)
        }
        var column = left + 2
        for (place, button) in alert.buttons.enumerated() {
            column = canvas.write(
                button, at: Position(row: top + message.count + 3, column: column),
                style: place == alert.selected ? .chosen : frame, columns: max(0, left + 2 + width - column))
            column += 2
        }
        return canvas
    }
}

extension Alert {
    fileprivate var buttons: [String] { choices.map { "[\($0.label): \($0.key)]" } }
}

extension Style {
    fileprivate static let box = Style(
        foreground: Colour.white.onTerminal, background: Colour(60, 60, 60).onTerminal)

    fileprivate static let boxTitle = {
        var style = box
        style.isBold = true
        return style
    }()
}
