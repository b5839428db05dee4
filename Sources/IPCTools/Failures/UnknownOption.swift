internal import ArgumentParser
private import IPCModel

/// The message for an unknown option, which suggests only an option with a similar name. ArgumentParser suggests any
/// name within an edit distance of three, such as `--json` for `--vesion`, but never `--help` or `--version`.
enum UnknownOption {
    private static let start = "Unknown option '"

    /// Returns a message from ArgumentParser with a better suggestion. Any other message is returned unchanged.
    static func message(
        _ message: String, in arguments: [String], of tool: any ParsableCommand.Type
    ) -> String {
        let (first, rest) = message.firstIndex(of: "\n").map { (message[..<$0], message[$0...]) } ?? (message[...], "")
        guard first.hasPrefix(start),
            let end = first.dropFirst(start.count).firstIndex(of: "'"), first[..<end].contains("--")
        else { return message }
        let option = first[..<end].dropFirst(start.count)
        // Compares names without their two dashes, which would make short names look alike.
        let nearest = Spelling.nearest(
            to: String(option.dropFirst(2)), among: names(of: NamedCommand(arguments, of: tool).command, in: tool))
        return JSONForm.spelled(String(first[...end])) + (nearest.map { ". Did you mean '--\($0)'?" } ?? "") + rest
    }

    /// The long names of a command's options, without their dashes. They come from its help text, because
    /// ArgumentParser does not provide them in another form.
    static func names(of command: any ParsableCommand.Type, in tool: any ParsableCommand.Type) -> [String] {
        let help = command == tool ? tool.helpMessage() : tool.helpMessage(for: command)
        return help.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
            line.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") }.filter { $0.hasPrefix("--") }
                .map { String($0.dropFirst(2)) }
        }
    }
}
