/// The content of a terminal at one moment.
package struct TerminalScreen: Sendable, Hashable, CustomStringConvertible {
    /// The rows, without trailing blanks.
    package let rows: [String]
    /// The row of the cursor, counted from 0.
    package let cursorRow: Int
    /// The column of the cursor, counted from 0; some characters take two columns.
    package let cursorColumn: Int
    package let isCursorShown: Bool

    package var text: String { rows.joined(separator: "\n") }

    package var description: String { text }

    /// The row with the cursor.
    package var currentRow: String { cursorRow < rows.count ? rows[cursorRow] : "" }

    /// Parses a line with the cursor's row, column and visibility (1 or 0), followed by the rows.
    init(_ told: String) throws {
        let lines = told.split(separator: "\n", omittingEmptySubsequences: false)
        let numbers = lines[0].split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { throw HarnessError("tmux did not report the cursor: \(told)") }
        (cursorRow, cursorColumn, isCursorShown) = (numbers[0], numbers[1], numbers[2] == 1)
        rows = lines.dropFirst().map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
