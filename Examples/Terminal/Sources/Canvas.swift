/// A position on a canvas; row and column are counted from 0, from the upper left.
public struct Position: Sendable, Hashable {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) { (self.row, self.column) = (row, column) }
}

/// The whole content of a terminal, as a value: cells to write to, and the cursor. ``Terminal/show(_:)`` draws it.
public struct Canvas: Sendable, Hashable {
    public struct Cell: Sendable, Hashable {
        /// The character; `nil` in the second column of a character that takes two.
        public internal(set) var character: Character? = " "
        public var style = Style.plain
    }

    public let size: TerminalSize
    /// Where the cursor is shown; `nil` hides it.
    public var cursor: Position?
    /// The cells, row by row.
    private var cells: [Cell]

    /// Creates a blank canvas.
    public init(size: TerminalSize) {
        self.size = size
        cells = Array(repeating: Cell(), count: size.rows * size.columns)
    }

    /// A cell. Its style can be set; its character changes only through ``write(_:at:style:columns:)``.
    public subscript(row: Int, column: Int) -> Cell {
        get { cells[row * size.columns + column] }
        set { cells[row * size.columns + column].style = newValue.style }
    }

    /// Writes text on one row, over the existing text. Text that does not fit is left out, and no character is cut in
    /// two. Control characters are made ``Swift/StringProtocol/visible``.
    ///
    /// - Parameters:
    ///   - position: the start of the text; outside the canvas, nothing is written.
    ///   - columns: the maximum number of columns; text never goes beyond the edge.
    /// - Returns: the column after the text.
    @discardableResult
    public mutating func write(
        _ text: some StringProtocol, at position: Position, style: Style = .plain, columns: Int = .max
    ) -> Int {
        let row = position.row
        var column = position.column
        guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return column }
        for character in text.visible.prefix(columns: min(columns, size.columns - column)) {
            let places = column..<column + character.displayWidth
            for place in places { blank(row, place) }
            for place in places {
                let shown = place == column ? character : nil
                cells[row * size.columns + place] = Cell(character: shown, style: style)
            }
            column = places.upperBound
        }
        return column
    }

    /// Makes columns of a row blank, in a style; by default the whole row.
    public mutating func fill(row: Int, columns: Range<Int>? = nil, style: Style = .plain) {
        let columns = (columns ?? 0..<size.columns).clamped(to: 0..<size.columns)
        let blanks = String(repeating: " ", count: columns.count)
        write(blanks, at: Position(row: row, column: columns.lowerBound), style: style)
    }

    /// Blanks all columns of the character that occupies this column, before the column is overwritten.
    private mutating func blank(_ row: Int, _ column: Int) {
        var (first, last) = (column, column)
        while first > 0, self[row, first].character == nil { first -= 1 }
        while last + 1 < size.columns, self[row, last + 1].character == nil { last += 1 }
        for place in first...last { cells[row * size.columns + place].character = " " }
    }

    /// The text of a row, without trailing blanks.
    public func text(row: Int) -> String {
        let text = String((0..<size.columns).compactMap { self[row, $0].character })
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}
