/// Rows for people or programs: aligned columns with headings on a terminal, otherwise tab-separated fields only.
/// Fields contain no tabs or line ends, because the names in them have no control characters.
package struct Table: Sendable {
    private let headings: [String]
    private var rows: [[String]] = []

    package init(_ headings: String...) { self.headings = headings }

    /// Formats lines that each start with a name, and aligns the texts after the names.
    package static func named(_ lines: [(name: String, text: String)]) -> String {
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { name, text in
            name + String(repeating: " ", count: width - name.count) + "  " + text
        }.joined(separator: "\n")
    }

    package mutating func add(_ fields: String...) { rows.append(fields) }
    package mutating func add(row: [String]) { rows.append(row) }

    /// The lines, without a newline after the last one; empty if there are no rows.
    /// - Parameter columns: the width that aligned lines should fit, by shortening their last field; nil for no limit.
    package func text(aligned: Bool, style: Style, columns: Int? = nil) -> String {
        guard !rows.isEmpty else { return "" }
        guard aligned else { return rows.map { $0.joined(separator: "\t") }.joined(separator: "\n") }
        let lines = [headings] + rows
        let widths = headings.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let last = columns.map { max(Self.leastOfLast, $0 - widths.dropLast().reduce(0) { $0 + $1 + 2 }) }
        let laidOut = lines.map { line in
            zip(line, widths).enumerated().map { column, field in
                let isLast = column == widths.count - 1
                return isLast
                    ? Self.start(of: field.0, last) : field.0 + String(repeating: " ", count: field.1 - field.0.count)
            }.joined(separator: "  ")
        }
        return ([style.bold(laidOut[0])] + laidOut.dropFirst()).joined(separator: "\n")
    }

    private static let leastOfLast = 20

    private static func start(of text: String, _ most: Int?) -> String {
        guard let most, text.count > most else { return text }
        return text.prefix(most - 1) + "…"
    }
}
