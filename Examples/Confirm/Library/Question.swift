public import IPC
internal import SceneManager
public import Terminal

/// A question on the screen: its request, and the selected button.
public struct Question: Sendable, Hashable {
    public let request: AlertRequest
    private var alert: Alert

    public init(_ request: AlertRequest) { (self.request, alert) = (request, request.alert) }

    /// Handles a key. Escape chooses the cancel button, and has no effect without one.
    /// - Returns: the index of the button that the key chooses; `nil` if the question stays open.
    public mutating func press(_ key: Key) -> Int? {
        let progress =
            switch key {
            case .escape where request.cancelIndex == nil: Alert.Progress.open
            case .up: alert.press(.left)
            case .down: alert.press(.right)
            default: alert.press(key)
            }
        return if case .answered(let index) = progress { index } else { nil }
    }

    /// The reply for a button: its index, and its label.
    public func reply(_ index: Int) -> [PasteboardItem] {
        [.string("\(index)"), .string(request.buttons[index].label)]
    }

    /// Returns the canvas with the question over it.
    public func over(_ canvas: Canvas) -> Canvas {
        switch request.style {
        case .alert: canvas.under(alert)
        case .sheet: sheet(over: canvas)
        }
    }

    /// Draws title, message and buttons from the bottom line up, over the whole width. If the screen has too few rows, the
    /// first lines are cut off, so that the buttons stay visible.
    private func sheet(over canvas: Canvas) -> Canvas {
        var canvas = canvas
        canvas.cursor = nil
        let columns = max(2, canvas.size.columns - 4)
        let rule = (String(repeating: "─", count: columns), Style.sheet)
        var lines = [rule, (request.title, .sheetTitle)]
        if !request.message.isEmpty {
            lines += request.message.wrapped(columns: columns).map { ($0, .sheet) }
        }
        lines.append(rule)
        for (place, choice) in alert.choices.enumerated() {
            let usual = request.buttons[place].role == .destructive ? Style.destructive : .sheet
            lines.append(("[\(choice.key)] \(choice.label)", place == alert.selected ? .chosen : usual))
        }
        for (row, line) in zip(max(0, canvas.size.rows - lines.count)..., lines.suffix(canvas.size.rows)) {
            canvas.fill(row: row, style: line.1)
            canvas.write(line.0, at: Position(row: row, column: 2), style: line.1)
        }
        return canvas
    }
}

extension Style {
    private static let paper = Color.rgb(red: 60, green: 60, blue: 60)
    fileprivate static let sheet = Style(foreground: .rgb(red: 255, green: 255, blue: 255), background: paper)
    fileprivate static let destructive = Style(foreground: .rgb(red: 255, green: 120, blue: 120), background: paper)
    fileprivate static let sheetTitle = {
        var style = sheet
        style.isBold = true
        return style
    }()
}
