import IPCDesktop
import IPCModel
import IPCTools
import Testing

@testable import ipc_client

/// Tests of the shell commands that `doctor` suggests, and of the facts that it reads from files.
@Suite("Doctor's texts")
struct DoctorTextTests {
    @Test(arguments: [
        ("/usr/bin/a-b_c.d", "/usr/bin/a-b_c.d"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
        ("$(id)", "'$(id)'"), ("ä", "'ä'"), ("~", "'~'"), ("a;b", "'a;b'"),
        ("'\u{301};b", "''\\''\u{301};b'"),
    ])
    func `words are quoted if a shell would interpret them`(text: String, word: String) {
        #expect(ShellLine.word(text) == word)
    }

    @Test func `lines are found by their content, and inserted with their backslashes`() {
        #expect(
            ShellLine.replace("Exec=a.b/*[c]^$", of: "/f", with: #"a\b"#)
                == #"sed -i --follow-symlinks -e '/^Exec=a\.b\/\*\[c]\^\$$/c\a\\b' /f"#)
        #expect(ShellLine.remove("x", of: "/f g") == "sed -i --follow-symlinks -e '/^x$/d' '/f g'")
    }

    @Test(arguments: [
        ("[Limits]\nwatchers=1\nwatchers=2\n", "3"), ("[What]\na=b\n\n[Store]\ndirectory=/s\n", "1,3"),
        ("[Limits]\n[What]\na=b\n", "2,$"), ("[Limits]\nwatchers=1\n", nil),
    ])
    func `a mistake in a configuration is a line or a whole group`(text: String, lines: String?) {
        var facts = ConfigurationFacts(path: "/c")
        (facts.file, facts.mistake) = (KeyFile(bytes: Array(text.utf8)), Facts.mistake(text))
        #expect(facts.mistakenLines == lines)
    }

    @Test(arguments: [
        ("", "mkdir -p -- /d && printf '\\n[Limits]\\n%s\\n' items=5 >>/d/c"),
        (
            "[Limits]\nitems = 1\n",
            #"sed -i --follow-symlinks -e '/^[[:blank:]]*items[[:blank:]]*=/d' -e '/^[[:blank:]]*\[Limits]/aitems=5' /d/c"#
        ),
    ])
    func `a limit is set at its place in the configuration`(text: String, line: String) {
        var facts = ConfigurationFacts(path: "/d/c")
        facts.file = KeyFile(bytes: Array(text.utf8))
        #expect(facts.command(setting: "items", to: 5) == line)
    }

    @Test func `the holder of a lock is read, and other locks are ignored`() {
        let table = "1: POSIX  ADVISORY  WRITE 5 08:01:42 0 EOF\n2: FLOCK  ADVISORY  WRITE 6 08:01:42 0 EOF\n"
        #expect(FileLock.holder(device: 0x801, file: 42, in: table) == 6)
        #expect(FileLock.holder(device: 0x801, file: 43, in: table) == nil)
        #expect(FileLock.holder(device: 0x802, file: 42, in: table) == nil)
    }

    @Test func `commands of service files are parsed as the bus does`() {
        let words = { (exec: String) in
            ServiceFacts(path: "/s", bytes: Array("[D-BUS Service]\nExec=\(exec)\n".utf8)).words
        }
        #expect(words("/bin/a 'b c'") == ["/bin/a", "b c"])
        #expect(words("/bin/a $b;") == ["/bin/a", "$b;"])
        #expect(words("/bin/a 'b") == nil && words("") == nil)
    }

    @Test func `usage and limits come from the broker's description`() throws {
        let description = try JSONValue(
            parsing: """
                {"limits":{"pasteboards":"10","pasteboards-per-source":"4","items":"7"},"usage":{"total":{"pasteboards":\
                "3","bytes":"1"},"sources":[{"source":"a.b","pasteboards":"4"}]}}
                """)
        #expect(
            StatusReport(description).limits == [
                LimitUse(name: "pasteboards", source: nil, use: 3, most: 10),
                LimitUse(name: "pasteboards-per-source", source: "a.b", use: 4, most: 4),
            ])
    }

    @Test func `a finding is a line for programs and two for people`() {
        let finding = Finding(.storeFull, "a\tsentence", fix: "true")
        let style = Style(.never, for: .output)
        #expect(finding.text(aligned: false, style: style) == "problem\tstore-full\ta\\tsentence\ttrue")
        #expect(finding.text(aligned: true, style: style) == "problem  store-full: a\\tsentence\n         true")
        #expect(
            finding.json.text
                == #"{"level":"problem","finding":"store-full","message":"a\tsentence","command":"true"}"#)
        #expect(Finding(ok: "word", "right").text(aligned: false, style: style) == "ok\tword\tright\t")
    }
}
