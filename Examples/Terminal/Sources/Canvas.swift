/// A place on a canvas; both count from 0, from the upper left.
public struct Position: Sendable, Hashable {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}

/// All that a terminal shows, as a value: cells to write into, and where the cursor stands. ``Terminal/show(_:)`` draws it.
public struct Canvas: Sendable, Hashable {
    public struct Cell: Sendable, Hashable {
        /// `nil` in the second column of a character that takes two.
        public internal(set) var character: Character?
        public var style: Style

        static let blank = Cell(character: " ", style: .plain)
    }

    public let size: TerminalSize
    /// Where the cursor is shown; `nil` hides it.
    public var cursor: Position?
    /// Row by row.
    private var cells: [Cell]

    /// All blank.
    public init(size: TerminalSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.rows * size.columns)
    }

    /// A cell; its style can be changed, its character by ``write(_:at:style:columns:)`` only.
    public subscript(row: Int, column: Int) -> Cell {
        get { cells[row * size.columns + column] }
        set {
            let character = self[row, column].character
            cells[row * size.columns + column] = Cell(character: character, style: newValue.style)
        }
    }

    /// Writes text on one row, over what is there; what has no room is left out, and no character is cut in two. Control
    /// characters are made ``Swift/StringProtocol/visible``.
    ///
    /// - Parameters:
    ///   - position: outside of the canvas nothing is written.
    ///   - columns: at most so many, and not beyond the edge.
    /// - Returns: the column behind the text.
    @discardableResult
    public mutating func write(
        _ text: some StringProtocol, at position: Position, style: Style = .plain, columns: Int = .max
    ) -> Int {
        var column = position.column
        guard (0..<size.rows).contains(position.row), (0..<size.columns).contains(column) else { return column }
        let room = min(columns, size.columns - column)
        for character in text.visible.prefix(columns: room) {
            let width = character.displayWidth
            guard width > 0 else { continue }
            for place in column..<column + width { separate(row: position.row, column: place) }
            set(Cell(character: character, style: style), position.row, column)
            for place in column + 1..<column + width { set(Cell(character: nil, style: style), position.row, place) }
            column += width
        }
        return column
    }

    /// Makes a part of a row blank, in a style; from `columns.lowerBound` to the edge by default.
    public mutating func fill(row: Int, columns: Range<Int>? = nil, style: Style = .plain) {
        let columns = (columns ?? 0..<size.columns).clamped(to: 0..<size.columns)
        let blanks = String(repeating: " ", count: columns.count)
        write(blanks, at: Position(row: row, column: columns.lowerBound), style: style)
    }

    /// Blanks the other columns of a character that is about to lose one.
    private mutating func separate(row: Int, column: Int) {
        var first = column
        while first > 0, self[row, first].character == nil { first -= 1 }
        var last = column
        while last + 1 < size.columns, self[row, last + 1].character == nil { last += 1 }
        guard first < last else { return }
        for place in first...last { set(Cell(character: " ", style: self[row, place].style), row, place) }
    }

    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) { cells[row * size.columns + column] = cell }

    /// The text of a row, without the blanks at its end.
    public func text(row: Int) -> String {
        let text = String((0..<size.columns).compactMap { self[row, $0].character })
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}
