package import ArgumentParser
private import IPCModel

extension ToolFailure {
    /// The first word of a command line that stands in the place of a command and names none; nil if every command is known.
    package static func unknownCommand(
        in arguments: [String], of tool: any ParsableCommand.Type
    ) -> ToolFailure? {
        var (command, path) = (tool, [tool._commandName])
        for (place, word) in arguments.enumerated() {
            if place == 0 && word == "help" { continue }
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, word.utf8.first != UInt8(ascii: "-"), word != "help" else { return nil }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                let nearest = Spelling.nearest(to: word, among: commands.map { $0._commandName })
                let question = nearest.map { ", did you mean “\($0)”?" } ?? ";"
                return .usage(
                    "there is no command \(word.quoted)\(question) '\(path.joined(separator: " ")) --help' lists all")
            }
            (command, path) = (next, path + [word])
        }
        return nil
    }
}
