import ArgumentParser
import IPCTesting
import Testing

@testable import IPCTools
@testable import ipc_bridge
@testable import ipc_client
@testable import ipc_server

/// Checks that a shell and the tools accept the examples in the help texts and the manual pages.
@Suite("Examples of the help texts")
struct CommandExampleTests {
    /// A shell script that runs example lines. The tools and a few other commands are replaced by functions. A tool's
    /// function prints its arguments in a single write, because the commands of a pipe run at the same time.
    private static let script = """
        exec 3>&1 1>/dev/null </dev/null
        id=4f6c1f6e-1c57-4c2f-9d9a-0d2f6b0a7c11
        tell() { printf '%s\\036' "$(printf '%s\\037' "$@")" >&3; echo "$id"; }
        ipc-client() { tell ipc-client "$@"; }
        ipc-server() { tell ipc-server "$@"; }
        ipc-bridge() { tell ipc-bridge "$@"; }
        jq() { :; }
        pass() { :; }
        xargs() { "$@" "$id"; }
        cd "$1" && eval "$2"
        """

    /// Runs lines of shell, and returns each call of a tool that they make: its name and its arguments.
    private func commandLines(_ lines: String) async throws -> [[String]] {
        let directory = try TemporaryDirectory("examples")
        defer { directory.remove() }
        let output = try await RunningProcess.run("bash", ["-c", Self.script, "bash", directory.path, lines])
        #expect(output.errors == "", "\(lines)")
        return output.output.split(separator: "\u{1E}").map { line in
            line.split(separator: "\u{1F}", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    private func examples(_ command: any ParsableCommand.Type) -> [String] {
        let text = command.configuration.discussion.split(separator: "EXAMPLES\n").dropFirst().joined(separator: "\n")
        return [String(text)] + command.configuration.subcommands.flatMap { examples($0) }
    }

    private func parse(_ line: [String]) throws {
        let tools: [String: any ParsableCommand.Type] = [
            "ipc-client": IPCClientCommand.self, "ipc-server": IPCServerCommand.self,
            "ipc-bridge": IPCBridgeCommand.self,
        ]
        let tool = try #require(tools[line[0]])
        _ = try tool.parseAsRoot(JSONForm.flags(in: Array(line.dropFirst())))
    }

    @Test func everyExampleIsACommandLine() async throws {
        let all = examples(IPCClientCommand.self) + examples(IPCServerCommand.self) + examples(IPCBridgeCommand.self)
        let lines = try await commandLines(all.joined(separator: "\n"))
        #expect(lines.count > 80)
        for line in lines { #expect(throws: Never.self, "\(line)") { try parse(line) } }
    }

    /// Negative control: a line that no tool accepts is found.
    @Test(arguments: [
        "ipc-client sned hello", "ipc-client get", "ipc-server --scheme", "ipc-client request trace $nothing",
    ])
    func aMistakeIsFound(line: String) async throws {
        let found = try #require(try await commandLines(line).first)
        #expect(throws: (any Error).self) { try parse(found) }
    }
}
