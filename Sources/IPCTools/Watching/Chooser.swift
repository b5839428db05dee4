private import Glibc
private import IPC
private import IPCModel
private import Subprocess

/// A program that shows lines to the user, who chooses one: a shell command that reads the lines and prints the choice.
package struct Chooser: Sendable {
    private let command: ShellCommand

    package init(_ line: String) { command = ShellCommand(line: line, isInteractive: true) }

    /// The command line of an installed program; nil if there is none.
    /// - Parameter isTerminal: whether the user is at a terminal.
    package static func installed(
        isTerminal: Bool, variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> String? {
        let folders = (variable("PATH") ?? "").split(separator: ":")
        func has(_ program: String) -> Bool { folders.contains { access("\($0)/\(program)", X_OK) == 0 } }
        if isTerminal { return has("fzf") ? #"fzf --delimiter="$(printf '\t')" --with-nth=2.."# : nil }
        let (isWayland, isX11) = (variable("WAYLAND_DISPLAY") ?? "" != "", variable("DISPLAY") ?? "" != "")
        if isWayland, has("fuzzel") { return "fuzzel --dmenu" }
        return (isWayland || isX11) && has("rofi") ? "rofi -dmenu -i -p pick" : nil
    }

    /// Runs the command.
    /// - Returns: the first line of its output; nil if it printed nothing, because the user chose nothing.
    /// - Throws: ``ToolFailure`` with exit code 70 if the command cannot be run.
    package func choice(among lines: [String]) async throws(ToolFailure) -> String? {
        let list = Representation.Value.text(lines.map { $0 + "\n" }.joined())
        do {
            let result = try await command.run(list, [:], output: .bytes(limit: InputFile.mostBytes))
            let output = String(decoding: result.standardOutput, as: UTF8.self)
            if output.isEmpty, case .exited(127) = result.terminationStatus {
                throw ToolFailure(name: "Failed", message: "the shell did not find the command", exit: .failed)
            }
            return output.split(separator: "\n").first.map(String.init)
        } catch let failure as ToolFailure {
            throw failure
        } catch {
            throw ToolFailure(name: "Failed", message: "cannot run the command: \(error)", exit: .failed)
        }
    }
}
