/// Suggests corrections for misspelled names.
package enum Spelling {
    /// The name nearest to a word; `nil` if their edit distance is at least half the length of the longer of the two.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(Array(word.utf8.prefix(64)), Array($0.utf8))) }
        let nearest = distances.min { $0.distance < $1.distance }
        return nearest.flatMap { 2 * $0.distance < max(word.utf8.count, $0.name.utf8.count) ? $0.name : nil }
    }

    /// The edit distance: how many bytes to insert, delete, replace, or swap with the next (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for row in left.indices {
            var next = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var least = min(next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, rows[row - 1][column - 1] + 1)
                }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
