import ArgumentParser
import Testing

@testable import IPCTools
@testable import ipc_client

@Suite("Lines without options")
struct PlainLineTests {
    /// The values of all fields of a command as text, to compare two commands. Fields that were not set contain the
    /// word “definition”.
    private func description(_ command: any ParsableCommand) -> String { String(describing: command) }

    @Test(arguments: [[], ["hello"], ["buy", "milk"], ["", "a b"], ["help"], ["send"], ["ü"], ["a=b", "c-d"]])
    func makeTheCommandThatTheParserMakes(_ words: [String]) throws {
        let line = ["send"] + words
        let plain = try #require(ToolProcess.command([Send.self], line) as? Send)
        #expect(plain.content.words == words)
        #expect(try description(plain) == description(ToolProcess.parse(IPCClientCommand.self, line)))
    }

    @Test func differInEveryField() throws {
        let parsed = try description(ToolProcess.parse(IPCClientCommand.self, ["send", "x"]))
        #expect(!parsed.contains("definition") && description(Send()).contains("definition"))
        for line in [
            ["--url", "x:", "x"], ["--pasteboard", "general", "x"], ["--to", "a.b", "x"], ["--timeout", "1", "x"],
            ["--queue", "x"], ["--json", "x"], ["--color", "never", "x"], ["--trim-newline", "x"], ["x", "x"],
        ] {
            #expect(try description(ToolProcess.parse(IPCClientCommand.self, ["send"] + line)) != parsed)
        }
    }

    @Test(arguments: [
        [], ["--help"], ["help", "send"], ["send", "--json", "x"], ["send", "-"], ["send", "x", "-h"],
        ["send", "--", "x"], ["send", "--unknown"], ["open", "x:"],
    ])
    func leaveEverythingElseToTheParser(_ line: [String]) { #expect(ToolProcess.command([Send.self], line) == nil) }
}
