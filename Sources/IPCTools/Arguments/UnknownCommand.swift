package import ArgumentParser
private import IPCModel

/// A word in the place of a command that is none.
package struct UnknownCommand: Hashable {
    /// What was typed.
    let word: String
    /// The names of the tool and of the commands before the word.
    let path: [String]
    /// The command that was probably meant.
    let nearest: String?

    /// Looks for the first word of a command line that names no command where one is to be named.
    /// - Returns: nil where every command of the line is known.
    package init?(_ tool: any ParsableCommand.Type, _ arguments: [String]) {
        var (command, path) = (tool, [tool._commandName])
        for (place, argument) in arguments.enumerated() {
            if place == 0 && argument == "help" { continue }
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, argument.utf8.first != UInt8(ascii: "-"), argument != "help" else { return nil }
            guard let next = commands.first(where: { $0._commandName == argument }) else {
                (word, self.path) = (argument, path)
                nearest = Self.nearest(to: argument, among: commands.map { $0._commandName })
                return
            }
            (command, path) = (next, path + [argument])
        }
        return nil
    }

    /// The sentence, and exit code 64.
    package var failure: ToolFailure {
        let question = nearest.map { ", did you mean “\($0)”?" } ?? ";"
        return .usage("there is no command \(word.quoted)\(question) '\(path.joined(separator: " ")) --help' lists all")
    }

    /// The name with the least edits to it, as long as more than half of the word stays.
    private static func nearest(to word: String, among names: [String]) -> String? {
        let distances = names.map { (name: $0, distance: distance(Array(word.utf8.prefix(64)), Array($0.utf8))) }
        let nearest = distances.min { $0.distance < $1.distance }
        return nearest.flatMap { 2 * $0.distance < max(word.utf8.count, $0.name.utf8.count) ? $0.name : nil }
    }

    /// How many bytes are to be inserted, deleted, replaced or exchanged with their neighbour (optimal string alignment).
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
