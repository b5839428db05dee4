import ArgumentParser
import Glibc
import Testing

@testable import ipc_bridge
@testable import ipc_client
@testable import ipc_server

/// Compares the help texts with files that a person has read. With `UPDATE_HELP=1`, the files are rewritten.
@Suite("Help texts")
struct HelpTests {
    private static let folder = "\(#filePath)".split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Help"

    /// The words of every command, such as `board list`.
    private static let names =
        ["ipc-client", "ipc-server", "ipc-bridge"]
        + IPCClientCommand.configuration.subcommands.flatMap { command in
            [command._commandName]
                + command.configuration.subcommands.map { "\(command._commandName) \($0._commandName)" }
        }

    @Test(arguments: names)
    func areUnchanged(_ name: String) throws {
        let path = "\(Self.folder)/\(name.replacing(" ", with: "-")).txt"
        let text = try help(name) + "\n"
        if getenv("UPDATE_HELP") != nil { try write(text, to: path) }
        #expect(try read(path) == text)
    }

    @Test(arguments: names)
    func showsExamples(_ name: String) throws {
        let examples = try help(name).split(separator: "\n").drop { $0 != "EXAMPLES" }.dropFirst()
            .prefix { $0.hasPrefix("  ") }
        #expect(!examples.isEmpty)
        // Examples must fit on one line, because a wrapped line cannot be copied.
        #expect(examples.allSatisfy { $0.hasPrefix("  ") && $0.count < 80 })
    }

    private func help(_ name: String) throws -> String {
        switch name {
        case "ipc-server": return IPCServerCommand.helpMessage(columns: 80)
        case "ipc-bridge": return IPCBridgeCommand.helpMessage(columns: 80)
        case "ipc-client": return IPCClientCommand.helpMessage(columns: 80)
        default:
            var command: any ParsableCommand.Type = IPCClientCommand.self
            for word in name.split(separator: " ") {
                command = try #require(command.configuration.subcommands.first { $0._commandName == word })
            }
            return IPCClientCommand.helpMessage(for: command, columns: 80)
        }
    }

    private func read(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"), "there is no \(path)")
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"), "cannot write \(path)")
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
