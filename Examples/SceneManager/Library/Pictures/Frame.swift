internal import Terminal

extension Canvas {
    /// Draws a scene between a line with its title and a line that describes the keys.
    /// - Parameters:
    ///   - depth: the number of scenes on the stack.
    ///   - notice: a message to show in place of the keys; none if empty.
    @MainActor
    init(size: TerminalSize, showing scene: any Scene, depth: Int, notice: String) {
        self.init(size: size)
        var inner = Canvas(size: TerminalSize(columns: size.columns, rows: size.rows - 2))
        scene.draw(on: &inner)
        draw(inner, row: 1)
        fill(row: 0, style: .reversed)
        write((depth > 1 ? " ‹ " : " ") + scene.title, at: Position(row: 0, column: 0), style: .reversed)
        let place = String(repeating: "▪", count: min(depth, 10)) + " "
        let column = size.columns - place.displayWidth
        if column > scene.title.displayWidth + 4 {
            write(place, at: Position(row: 0, column: column), style: .reversed)
        }
        guard size.rows > 2 else { return }
        let keys = [scene.hint, depth > 1 ? "esc: back" : "", "^C: quit"]
            .filter { !$0.isEmpty }.joined(separator: "   ")
        write(
            " " + (notice.isEmpty ? keys : notice), at: Position(row: size.rows - 1, column: 0),
            style: notice.isEmpty ? .dim : .bold)
    }
}
