import Prompts
import Testing

@Suite struct ShellCommandTests {
    @Test(arguments: [
        ("echo one; echo two >&2; exit 3", ["one", "two"], 3), ("printf 'no\nend'", ["no", "end"], 0),
        ("cat", [], 0), ("kill -TERM $$", [], 128 + 15), ("nowhere-to-be-found 2>/dev/null", [], 127),
    ])
    func `lines of both streams and the exit status arrive`(command: String, lines: [String], status: Int32) async {
        var shown: [String] = []
        #expect(await ShellCommand.run(command) { shown.append($0) } == status)
        #expect(shown == lines)
    }
}
