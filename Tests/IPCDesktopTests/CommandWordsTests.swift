import IPCDesktop
import Testing

/// Checks the shell quoting of POSIX.1-2017, “Quoting”.
@Suite struct CommandWordsTests {
    static let lines: [(String, [String])] = [
        ("a", ["a"]), ("  a  b\tc ", ["a", "b", "c"]), ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a b'c'\"d\"e", ["a", "bcde"]), ("a '' \"\"", ["a", "", ""]),
        (#"a \  \\ "\"\$\x""#, ["a", " ", "\\", #""$\x"#]),
        ("sh -c 'cat >> \"$HOME/n\"'", ["sh", "-c", "cat >> \"$HOME/n\""]), ("a 日本", ["a", "日本"]),
        // Swift takes a quotation mark and a combining mark after it for one character.
        ("a \"'\u{301}; b\"", ["a", "'\u{301}; b"]),
    ]

    @Test(arguments: lines)
    func `words are parsed as in a shell, and survive a round trip`(
        _ line: String, _ words: [String]
    ) throws {
        #expect(try CommandWords(line).words == words)
        #expect(try CommandWords(CommandWords(words: words).text).words == words)
    }

    @Test(arguments: ["", "  ", "'a", "\"a", "a\\", "a | b", "a; b", "a > b", "a $HOME", "a \"$HOME\"", "a `b`", "''"])
    func `syntax that only a shell understands is rejected`(_ line: String) {
        #expect(throws: CommandWords.Invalid.self) { try CommandWords(line) }
    }

    @Test func `a program is found by its path`() throws {
        #expect(try CommandWords("sh -c x").located(in: "/nowhere:/bin", from: "/").words == ["/bin/sh", "-c", "x"])
        #expect(try CommandWords("/bin/sh").located(in: "", from: "/").words == ["/bin/sh"])
        // A directory can be “executed” in the sense of access(2).
        for line in ["nothing.of.that.name", "/nowhere/sh", "/tmp"] {
            #expect(throws: CommandWords.Invalid.self) { try CommandWords(line).located(in: "/bin", from: "/bin") }
        }
    }

    @Test func `a relative path begins at the working directory`() throws {
        for (line, folder) in [("./sh x", "/bin"), (".//./sh x", "/bin/"), ("bin/sh x", "/")] {
            #expect(try CommandWords(line).located(in: "", from: folder).words == ["/bin/sh", "x"])
        }
        // Negative control: a word without “/” is looked up only in PATH, and a folder in PATH must be absolute.
        #expect(throws: CommandWords.Invalid.self) { try CommandWords("sh").located(in: "", from: "/bin") }
        #expect(throws: CommandWords.Invalid.self) { try CommandWords("sh").located(in: ".", from: "/bin") }
        #expect(throws: CommandWords.Invalid.noProgram("/usr/nowhere/sh")) {
            try CommandWords("nowhere/sh").located(in: "/bin", from: "/usr")
        }
    }

    @Test func `a command that no bus can run is rejected`() throws {
        let most = CommandWords.mostBytes
        let longest = CommandWords(words: ["sh", String(repeating: "a", count: most - 3)])
        #expect(try longest.runnable() == longest)
        #expect(throws: CommandWords.Invalid.tooLong(most + 1)) {
            try CommandWords(words: ["sh", String(repeating: "a", count: most - 2)]).runnable()
        }
        #expect(throws: CommandWords.Invalid.hasNUL) { try CommandWords(words: ["sh", "a\0"]).runnable() }
        #expect(throws: CommandWords.Invalid.hasNUL) { try CommandWords("sh a\0").located(in: "/bin", from: "/") }
    }
}
