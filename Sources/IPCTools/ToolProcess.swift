package import ArgumentParser
private import CLinux
internal import Glibc
private import IPC
private import IPCModel

private import class IPCDBus.DBusActor

/// One run of a tool, from its arguments to its exit code.
package struct ToolProcess: Sendable {
    private let tool: any ParsableCommand.Type
    private let arguments: [String]

    /// Parses the command line, runs the command and exits. This function is not async: an async main runs on Swift's
    /// thread pool and starts Dispatch, which a command does not need. The command's task is the only one, and starts
    /// on the I/O thread.
    /// - Parameters:
    ///   - plain: the commands that can be created without the parser.
    ///   - begin: starts work that every command needs, such as connecting. It is called before the command line is
    ///     parsed, because parsing takes as long as connecting. It is not called if the user asks for help.
    package static func run(
        _ tool: any ParsableCommand.Type, plain: [any PlainCommand.Type] = [], begin: () -> Void = {}
    ) -> Never {
        clinux_occupy_standard_streams()
        // Reaching the file size limit (setrlimit(2)) must be an error like a full disk, and must not kill the process.
        signal(SIGXFSZ, SIG_IGN)
        // The first thread and the I/O thread share one heap: creating a second heap takes longer than it saves.
        clinux_share_heap()
        let process: ToolProcess
        do throws(ToolFailure) {
            process = ToolProcess(tool: tool, arguments: try JSONForm.flags(in: ArgumentVector.checked()))
        } catch { ToolProcess(tool: tool, arguments: []).end(error) }
        if process.namesCommand { begin() }
        if let command = command(plain, process.arguments) { process.start(command) }
        do {
            var command = try parse(tool, process.arguments)
            guard let command = command as? any ToolCommand else {
                try command.run()
                exit(0)
            }
            process.start(command)
        } catch let failure as ToolFailure { process.end(failure) } catch { process.end(parsing: error) }
    }

    private func start(_ command: any ToolCommand) -> Never {
        DBusActor.task { await run(command) }
        StopSignal.attend()
    }

    @DBusActor
    private func run(_ command: any ToolCommand) async -> Never {
        do {
            var command = command
            try await command.run()
            exit(0)
        } catch {
            if let failure = ToolFailure(any: error) { end(await command.advised(failure)) }
            end(parsing: error)
        }
    }

    /// Creates a command without the parser; nil if the command line has options, or names none of the `plain`
    /// commands.
    static func command(_ plain: [any PlainCommand.Type], _ arguments: [String]) -> (any ToolCommand)? {
        guard let name = arguments.first, let command = plain.first(where: { $0._commandName == name }),
            !arguments.contains(where: { $0.utf8.first == UInt8(ascii: "-") })
        else { return nil }
        return command.init(words: Array(arguments.dropFirst()))
    }

    /// Parses only with the named command's parser, because preparing the parsers of all commands takes longer than
    /// most commands run. If that fails, uses the parser of the whole tool, because errors and help need all names.
    /// - Throws: the parser's error, or a ``ToolFailure`` if an option is given twice.
    static func parse(_ tool: any ParsableCommand.Type, _ arguments: [String]) throws -> any ParsableCommand {
        try RepeatedOption.refuse(in: arguments, of: tool)
        let named = NamedCommand(arguments, of: tool)
        if named.depth > 0, named.command is any ToolCommand.Type,
            let command = try? named.command.parseAsRoot(Array(arguments.dropFirst(named.depth))),
            command is any ToolCommand
        {
            return command
        }
        return try tool.parseAsRoot(arguments)
    }

    /// Whether the command line probably runs a command. Only the parser knows for certain.
    private var namesCommand: Bool {
        guard let first = arguments.first, first != "help", !first.hasPrefix("-") else { return false }
        return !["-h", "--help"].contains { ArgumentVector.contains($0, in: arguments) }
    }

    private func end(_ failure: ToolFailure) -> Never {
        if !failure.message.isEmpty {
            let json = JSONForm.stated(in: arguments)
            try? OutputStream.error.writeLine(failure.line(program: tool._commandName, json: json, style: style))
        }
        exit(failure.exit.rawValue)
    }

    /// Exits with ArgumentParser's message: help, or an error in the command line.
    private func end(parsing error: any Error) -> Never {
        let code = tool.exitCode(for: error)
        let text = tool.fullMessage(for: error)
        if code.isSuccess {
            if let refusal = refusal(of: text) { end(refusal) }
            let answer = text.hasPrefix("#!/bin/bash") ? BashScript.repaired(text, for: tool) : text
            do throws(ToolFailure) { try OutputStream.output.writeLine(answer) } catch { end(error) }
            exit(0)
        }
        // When a shell completes a word, an error message would disturb the user's command line.
        guard arguments.first != "---completion" else { exit(code.rawValue) }
        if let unknown = ToolFailure.unknownCommand(in: arguments, of: tool) { end(unknown) }
        guard code == .validationFailure else {
            end(ToolFailure(name: "Failed", message: tool.message(for: error), exit: .failed))
        }
        if JSONForm.stated(in: arguments) != nil {
            end(.usage(UnknownOption.message(tool.message(for: error), in: arguments, of: tool)))
        }
        let label = "Error: "
        let unlabelled = text.hasPrefix(label) ? String(text.dropFirst(label.count)) : text
        let sentence = UnknownOption.message(unlabelled, in: arguments, of: tool)
        try? OutputStream.error.writeLine(style.red("\(tool._commandName):") + " " + sentence.printable)
        exit(IPCModel.ExitCode.usage.rawValue)
    }

    /// The failure to report instead of `text`, which ArgumentParser wants to print; nil if the user asked for that
    /// text. ArgumentParser also prints help for an unknown command or option, and the tool's version for `--version`
    /// after a command.
    private func refusal(of text: String) -> ToolFailure? {
        guard let first = arguments.first, !first.hasPrefix("-"), !tool.configuration.subcommands.isEmpty else {
            return nil
        }
        if let unknown = ToolFailure.unknownCommand(in: arguments, of: tool) { return unknown }
        if let dashed = ArgumentVector.dashedWord(in: arguments) {
            return .usage(
                "there is no option \(dashed.quoted); write -- before the words if one of them begins with “-”")
        }
        guard text == tool.configuration.version else { return nil }
        let name = tool._commandName
        let command = arguments.prefix(max(1, NamedCommand(arguments, of: tool).depth)).joined(separator: " ")
        return .usage(
            "\(command.quoted) has no option --version; '\(name) \(command) --help' lists its options, and "
                + "'\(name) --version' prints the version of the tools")
    }

    private var style: Style {
        let choice = ArgumentVector.value(of: "--color", in: arguments).flatMap(ColorChoice.init(rawValue:)) ?? .auto
        return Style(choice, for: .error)
    }
}

/// A command that calls the broker. Its task starts on the I/O thread. The command's configuration should set its name:
/// deriving the name from the type takes longer than parsing a command line.
package protocol ToolCommand: AsyncParsableCommand, Sendable {
    /// Returns a failure of this command with further advice, if there is any.
    @DBusActor
    func advised(_ failure: ToolFailure) async -> ToolFailure
}

extension ToolCommand {
    package func advised(_ failure: ToolFailure) async -> ToolFailure { failure }
}

/// A command that can be created without the parser, which takes longer than the rest of a short command.
package protocol PlainCommand: ToolCommand {
    /// Creates the command that ArgumentParser would create from these words, which are positional arguments of one
    /// kind: there are no options, and no word starts with “-”.
    init(words: [String])
}

extension ToolFailure {
    /// The failure for the first unknown command on a command line; nil if every command is known.
    static func unknownCommand(
        in arguments: [String], of tool: any ParsableCommand.Type
    ) -> ToolFailure? {
        let isQuestion = arguments.first == "help"
        let words = Array(arguments.dropFirst(isQuestion ? 1 : 0))
        let named = NamedCommand(words, of: tool)
        let commands = named.command.configuration.subcommands
        guard !commands.isEmpty, named.depth < words.count else { return nil }
        let word = words[named.depth]
        guard word.utf8.first != UInt8(ascii: "-"), word != "help" else { return nil }
        let path = [tool._commandName] + words.prefix(named.depth)
        let nearest = Spelling.nearest(to: word, among: commands.map { $0._commandName })
        let question = nearest.map { ", did you mean “\($0)”?" } ?? ";"
        return .usage(
            "there is no command \(word.quoted)\(question) '\(path.joined(separator: " ")) --help' lists all")
    }
}

/// The command that the first words of a command line name.
struct NamedCommand {
    /// The tool itself if the first word is not a command.
    let command: any ParsableCommand.Type
    /// The number of words that name the command: 2 for “board list”.
    let depth: Int

    init(_ words: [String], of tool: any ParsableCommand.Type) {
        var (command, depth) = (tool, 0)
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            (command, depth) = (next, depth + 1)
        }
        (self.command, self.depth) = (command, depth)
    }
}
