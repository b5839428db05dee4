import IPCDesktop
import IPCTesting
import Testing

/// Which commands look like receivers of URLs, and which ones certainly are not.
@Suite struct ReceiverRuleTests {
    private func utilities(_ script: String) throws -> [String]? {
        let folder = try TemporaryDirectory("rule")
        defer { folder.remove() }
        let path = folder.appending("note.sh")
        try FileContents.write(script, to: path)
        let found = ReceiverRule.utilities(of: CommandWords(words: [path]))
        if script.hasPrefix("#!/bin/sh") {
            // The same script as an argument of a shell, and as its text.
            #expect(ReceiverRule.utilities(of: CommandWords(words: ["/bin/sh", "-e", path])) == found)
            #expect(ReceiverRule.utilities(of: CommandWords(words: ["/bin/bash", "-ec", script])) == found)
        }
        return found
    }

    @Test(
        arguments: [
            ("#!/bin/sh\necho hi >> ~/log\n", ["echo"]),
            (
                "#!/bin/sh -e\n# exec ipc-server\nNOTE=$(cat)\n"
                    + "if [ -n \"$NOTE\" ]; then echo \"$NOTE; x\" >>\"$HOME/n\" 2>&1; fi\n",
                ["cat", "[", "echo"]
            ),
            ("#!/usr/bin/env bash\nset -eu\nnotify-send \"don't\" | tee /tmp/x &\n", ["set", "notify-send", "tee"]),
            ("#!/bin/sh\n/usr/bin/printf '%s\\n' a\\ b ${x} > out; >empty\n", ["printf"]), ("#!/bin/sh\n", []),
        ] as [(String, [String])])
    func aScriptOfUtilitiesIsNoReceiver(script: String, programs: [String]) throws {
        #expect(try utilities(script) == programs)
    }

    /// A receiver can be started in many ways; none of them is reported.
    @Test(arguments: [
        "#!/bin/sh\nexec ipc-server --scheme notes\n", "#!/bin/sh\necho start\n/opt/notes/notes --serve \"$@\"\n",
        "#!/bin/sh\njava -jar notes.jar\n", "#!/bin/sh\nHERE=$(dirname \"$0\")\n\"$HERE/notes\"\n",
        "#!/bin/bash\n. /etc/notes.env\n", "#!/bin/sh\neval \"$NOTES\"\n", "#!/bin/sh\necho \\\" ; notes\n",
        "#!/bin/sh\ncat <<END\ndon't\nEND\nnotes\n", "#!/bin/sh\necho 'open\n", "#!/bin/sh\nLC_ALL=C nohup notes &\n",
        "#!/bin/sh\necho a && notes 2>&1\n", "#!/usr/bin/python3\nprint('echo')\n", "no script",
    ])
    func aPossibleReceiverIsNotReported(script: String) throws {
        #expect(try utilities(script) == nil)
    }

    @Test func aProgramIsJudgedByItsName() {
        #expect(ReceiverRule.utilities(of: CommandWords(words: ["/usr/bin/notify-send", "x"])) == ["notify-send"])
        for program in ["/usr/bin/python3", "/opt/ipc-server", "/nowhere/notes", "/bin/sh"] {
            #expect(ReceiverRule.utilities(of: CommandWords(words: [program])) == nil)
        }
    }
}
