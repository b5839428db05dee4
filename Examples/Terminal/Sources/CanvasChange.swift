extension Canvas {
    /// Returns the output that makes a terminal show this canvas: only the differences from `old`, which it shows now,
    /// or everything if `old` is `nil`.
    func change(from old: Canvas?) -> String {
        let old = old.flatMap { $0.size == size ? $0 : nil }
        var drawing = Drawing()
        if old == nil { drawing.clear() }
        let before = old ?? Canvas(size: size)
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                let cell = self[row, column]
                guard cell != before[row, column], let character = cell.character else { continue }
                drawing.put(character, style: cell.style, at: Position(row: row, column: column))
            }
        }
        guard !drawing.text.isEmpty || cursor != old?.cursor else { return "" }
        drawing.finish(cursor: cursor)
        return drawing.text
    }
}

/// Collects output for a terminal, and tracks the position and the style that the output leads to.
private struct Drawing {
    private(set) var text = ""
    private var position: Position?
    private var style: Style?

    mutating func clear() { text += "\u{1B}[0m\u{1B}[2J" }

    mutating func put(_ character: Character, style: Style, at place: Position) {
        if text.isEmpty { text += "\u{1B}[?25l" }
        if position != place { move(to: place) }
        if self.style != style { text += style.sequence }
        self.style = style
        text.append(character)
        // After a character of several scalars, the position is unknown, because terminals disagree about its width.
        position =
            character.unicodeScalars.count == 1
            ? Position(row: place.row, column: place.column + character.displayWidth) : nil
    }

    mutating func finish(cursor: Position?) {
        text += Style.plain.sequence
        guard let cursor else {
            text += "\u{1B}[?25l"
            return
        }
        move(to: cursor)
        text += "\u{1B}[?25h"
    }

    private mutating func move(to place: Position) { text += "\u{1B}[\(place.row + 1);\(place.column + 1)H" }
}
