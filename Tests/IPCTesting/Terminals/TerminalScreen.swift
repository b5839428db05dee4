/// What a terminal shows at one moment.
package struct TerminalScreen: Sendable, Hashable, CustomStringConvertible {
    /// The rows, without blanks at their ends.
    package let rows: [String]
    /// Where the cursor is; both count from 0.
    package let cursorRow: Int
    /// In columns, of which some characters take two.
    package let cursorColumn: Int
    package let isCursorShown: Bool

    /// The rows, a line each.
    package var text: String { rows.joined(separator: "\n") }

    package var description: String { text }

    /// The row with the cursor.
    package var currentRow: String { cursorRow < rows.count ? rows[cursorRow] : "" }

    /// Reads a line with the cursor's row, column and visibility (1 or 0), and then the rows.
    init(_ told: String) throws {
        let lines = told.split(separator: "\n", omittingEmptySubsequences: false)
        let numbers = lines[0].split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { throw HarnessError("tmux tells no cursor: \(told)") }
        (cursorRow, cursorColumn, isCursorShown) = (numbers[0], numbers[1], numbers[2] == 1)
        rows = lines.dropFirst().map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
