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
                nearest = Spelling.nearest(to: argument, among: commands.map { $0._commandName })
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
}
