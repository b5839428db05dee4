package import ArgumentParser
internal import Glibc
private import IPC
private import IPCModel

private import class IPCDBus.DBusActor

/// A tool from its first argument to its exit code.
package enum ToolProcess {
    /// Parses the command line, runs the command and ends the process.
    ///
    /// Not async: an async main runs on Swift's thread pool and starts Dispatch, which a command has no use for. The
    /// command's task is its only one, and begins on the actor that the command names.
    package static func run(_ tool: any ParsableCommand.Type) -> Never {
        let program = tool._commandName
        let arguments: [String]
        do throws(ToolFailure) { arguments = try ArgumentVector.checked() } catch { end(program, [], error) }
        do {
            var command = try parse(tool, arguments)
            guard let command = command as? any ToolCommand else {
                try command.run()
                exit(0)
            }
            DBusActor.task { await run(command, tool, arguments) }
        } catch { end(tool, arguments, error) }
        while true { pause() }
    }

    @DBusActor
    private static func run(
        _ command: any ToolCommand, _ tool: any ParsableCommand.Type, _ arguments: [String]
    ) async -> Never {
        do {
            var command = command
            try await command.run()
            exit(0)
        } catch let error as ToolFailure {
            end(tool._commandName, arguments, error)
        } catch let condition as any Condition {
            end(tool._commandName, arguments, ToolFailure(condition.ipcError))
        } catch {
            end(tool, arguments, error)
        }
    }

    /// Asks the subcommand alone: to lay out all commands takes longer than most of them take to run. Whatever goes
    /// wrong, and every request for help, is told by the whole tool, which knows all names.
    static func parse(_ tool: any ParsableCommand.Type, _ arguments: [String]) throws -> any ParsableCommand {
        let subcommands = tool.configuration.subcommands
        if let name = arguments.first, let subcommand = subcommands.first(where: { $0._commandName == name }),
            let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst())), command is any ToolCommand
        {
            return command
        }
        return try tool.parseAsRoot(arguments)
    }

    private static func end(_ program: String, _ arguments: [String], _ failure: ToolFailure) -> Never {
        if !failure.message.isEmpty {
            let json = ArgumentVector.contains("--json", in: arguments)
            let line = failure.line(program: program, json: json, style: style(arguments))
            try? OutputStream.error.writeLine(line)
        }
        exit(failure.exit.rawValue)
    }

    /// Ends with what ArgumentParser has to say: help, or what is wrong with the command line.
    private static func end(_ tool: any ParsableCommand.Type, _ arguments: [String], _ error: any Error) -> Never {
        let code = tool.exitCode(for: error)
        let text = tool.fullMessage(for: error)
        if code.isSuccess {
            do throws(ToolFailure) { try OutputStream.output.writeLine(text) } catch {
                end(tool._commandName, arguments, error)
            }
            exit(0)
        }
        guard code == .validationFailure else {
            end(
                tool._commandName, arguments,
                ToolFailure(name: "Failed", message: tool.message(for: error), exit: .failed))
        }
        if ArgumentVector.contains("--json", in: arguments) {
            end(tool._commandName, arguments, .usage(tool.message(for: error)))
        }
        let label = "Error: "
        let sentence = text.hasPrefix(label) ? String(text.dropFirst(label.count)) : text
        let prefix = style(arguments).red("\(tool._commandName):")
        try? OutputStream.error.writeLine(prefix + " " + sentence.printable)
        exit(IPCModel.ExitCode.usage.rawValue)
    }

    private static func style(_ arguments: [String]) -> Style {
        let choice = ArgumentVector.value(of: "--color", in: arguments).flatMap(ColorChoice.init(rawValue:)) ?? .auto
        return Style(choice, for: .error)
    }
}

/// A command that talks to the broker; its task starts on the I/O thread.
///
/// Its configuration should name it: to derive a name from a type takes longer than to parse a command line.
package protocol ToolCommand: AsyncParsableCommand, Sendable {}
