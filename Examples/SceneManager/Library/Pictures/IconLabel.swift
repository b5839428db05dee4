public import Terminal

/// An icon above a label and the key that activates it: one component, for menus, grids and lists.
public struct IconLabel: Sendable, Hashable {
    /// The size of every icon with its label, in columns and rows.
    public static let size = TerminalSize(columns: 14, rows: 4)

    public let icon: Character
    public let label: String
    public let key: Character

    public init(_ icon: Character, _ label: String, key: Character) {
        (self.icon, self.label, self.key) = (icon, label, key)
    }

    /// Draws the icon and its label with the upper left corner at a position.
    public func draw(on canvas: inout Canvas, at corner: Position, isFocused: Bool) {
        let style = isFocused ? Style.chosen : .plain
        for (offset, line) in ["", "\(icon)", "\(key) \(label)", ""].enumerated() {
            let row = corner.row + offset
            canvas.fill(row: row, columns: corner.column..<corner.column + Self.size.columns, style: style)
            let inset = max(0, (Self.size.columns - line.displayWidth) / 2)
            canvas.write(
                line, at: Position(row: row, column: corner.column + inset), style: style,
                columns: Self.size.columns - inset)
        }
    }
}
