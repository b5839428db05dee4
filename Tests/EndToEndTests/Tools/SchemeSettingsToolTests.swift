import Glibc
import IPCTesting
import Testing

/// `scheme export` and `scheme apply` against the real broker.
@Suite(.privateBus)
struct SchemeSettingsToolTests {
    private static let notes = ["--application", "com.example.Notes", "--persistent"]

    /// Leaves out the broker's folder for sockets of direct connections.
    private func snapshot() throws -> HomeSnapshot { HomeSnapshot(try .current) { $0 == "run/swift-ipc" } }

    private func export() async throws -> String {
        try await Tools.client(["scheme", "export"]).succeeded().output
    }

    /// Applies settings that standard input has.
    private func apply(_ settings: String, _ options: String...) async throws -> ProcessOutput {
        try await Tools.client(["scheme", "apply", "-"] + options, input: .text(settings))
    }

    /// Configures something of each kind. The newer of the two claims to "notes" has the higher rank, by choice.
    private func configure() async throws {
        for command in [
            ["register", "Notes", "--application", "org.example.Older", "--persistent", "--no-desktop", "--fd"],
            ["register", "notes", "tasks", "--exec", "\(try Binaries.path("ipc-server")) --scheme 'notes'"]
                + Self.notes,
            ["register", "first", "--application", "org.example.Older", "--persistent"],
            ["register", "first"] + Self.notes,
            ["register", "passing", "--application", "org.example.Passing", "--transient"],
            ["default", "NOTES", "com.example.Notes"], ["default", "later", "org.example.Later"],
            ["policy", "com.example.Notes", "--default", "deny", "--allow", "b.B", "--allow", "a.A", "--deny", "c.C"],
            ["policy", "org.example.Later", "--deny", "c.C"],
        ] {
            _ = try await Tools.client(["scheme"] + command).succeeded()
        }
        let command = "printf 'to %s: \"%s\"' \"$IPC_URL\" \"$(cat)\""
        _ = try await Tools.client(["handle", "greet", "--exec", command, "--reply", "--default"]).succeeded()
        _ = try await Tools.client(["handle", "page+x", "--exec", "cat", "--reply-type", "text/html"]).succeeded()
    }

    private func rank(_ scheme: String) async throws -> [String] {
        try await Tools.client(["scheme", "list", scheme]).succeeded().lines
            .map { String($0.split(separator: "\t")[1]) }
    }

    @Test func anExportAppliedToAFreshHomeGivesTheSameExport() async throws {
        let broker = try await BrokerProcess.start()
        try await configure()
        let settings = try await export()
        #expect(settings.contains(#""exec": "\#(try Binaries.path("ipc-server")) --scheme notes""#), "\(settings)")
        #expect(!settings.contains("passing") && !settings.contains("org.swiftipc.handle"), "\(settings)")
        let ranks = (try await rank("notes"), try await rank("first"))
        let fresh = try await PrivateBus.start()
        try await PrivateBus.$scoped.withValue(fresh) {
            let broker = try await BrokerProcess.start()
            // The control: the fresh home has no settings.
            #expect(try await export() != settings)
            let applied = try await apply(settings).succeeded()
            #expect(
                applied.lines == [
                    "+ scheme first: org.example.Older", "+ scheme first: com.example.Notes",
                    #"+ handle greet: printf 'to %s: "%s"' "$IPC_URL" "$(cat)""#,
                    "+ scheme notes: com.example.Notes", "+ scheme Notes: org.example.Older", "+ handle page+x: cat",
                    "+ scheme tasks: com.example.Notes", "+ default later: org.example.Later",
                    "+ default notes: com.example.Notes",
                    "+ policy com.example.Notes: default deny, allow a.A, allow b.B, deny c.C",
                    "+ policy org.example.Later: default allow, deny c.C",
                ], "\(applied)")
            #expect(try await export() == settings)
            #expect(try await rank("notes") == ranks.0)
            #expect(try await rank("first") == ranks.1)
            // The bus starts the command of `handle`.
            let called = try await Tools.client(["call", "greet:you", "hello"]).succeeded()
            #expect(called.output == #"to greet:you: "hello""#)
            // Everything survives a restart.
            try await broker.restart()
            #expect(try await export() == settings)
        }
        await fresh.stop()
        withExtendedLifetime(broker) {}
    }

    @Test func applyingAgainChangesNothing() async throws {
        let broker = try await BrokerProcess.start()
        try await configure()
        let settings = try await export()
        let before = try snapshot()
        for options in [[], ["--prune"], ["--dry-run", "--prune"]] {
            let again = try await Tools.client(["scheme", "apply", "-"] + options, input: .text(settings)).succeeded()
            #expect(again.output.isEmpty && again.errors.contains("nothing changes"), "\(again)")
        }
        #expect(try snapshot() == before)
        #expect(try await export() == settings)
        withExtendedLifetime(broker) {}
    }

    @Test func aDryRunPrintsTheChangesAndMakesNone() async throws {
        let broker = try await BrokerProcess.start()
        try await configure()
        let old = try await export()
        let before = try snapshot()
        let settings = """
            {"format": 1,
             "claims": [{"scheme": "notes", "application": "org.example.Older", "default": true},
                        {"scheme": "greet", "handle": "echo hi", "reply-type": "auto"},
                        {"scheme": "new", "application": "org.example.New"}],
             "defaults": [{"scheme": "later", "application": "org.example.Later"}],
             "policies": [{"application": "com.example.Notes", "deny": ["d.D"]},
                          {"application": "org.example.Later"}, {"application": "org.example.Open"}]}
            """
        let lines = [
            "~ scheme notes: org.example.Older (default, desktop)", "~ handle greet: echo hi (handle, default)",
            "+ scheme new: org.example.New", "- default greet: org.swiftipc.handle.greet",
            "~ policy com.example.Notes: default allow, deny d.D (default, allow, deny)",
            "- policy org.example.Later: default allow (deny)",
        ]
        #expect(try await apply(settings, "--dry-run").succeeded().lines == lines)
        let json = try await apply(settings, "--dry-run", "--json").succeeded()
        #expect(
            json.lines.first
                == #"{"change":"changed","setting":"claim","scheme":"notes","application":"org.example.Older","dry-run":true}"#
        )
        #expect(try snapshot() == before)
        #expect(try await export() == old)
        // The control: without --dry-run, the same lines are printed, and the changes are made.
        #expect(try await apply(settings).succeeded().lines == lines)
        #expect(try await export() != old)
        #expect(try await Tools.client(["call", "greet:"]).output == "hi\n")
        #expect(try await rank("notes").first == "org.example.Older")
        #expect(try await apply(settings).succeeded().output.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func pruningRemovesWhatIsNotInTheFile() async throws {
        let broker = try await BrokerProcess.start()
        let fresh = try snapshot()
        let none = try await export()
        try await configure()
        _ = try await Tools.client(["scheme", "unregister", "passing", "--application", "org.example.Passing"])
            .succeeded()
        let command = "\(try Binaries.path("ipc-server")) --scheme 'notes'"
        let settings = """
            {"format": 1, "claims": [{"scheme": "tasks", "application": "com.example.Notes", "exec": "\(command)"}],
             "defaults": [], "policies": []}
            """
        // Without --prune, the other settings stay.
        #expect(try await apply(settings).succeeded().output.isEmpty)
        let pruned = try await apply(settings, "--prune").succeeded()
        #expect(
            pruned.lines == [
                "- scheme first: org.example.Older", "- scheme first: com.example.Notes",
                #"- handle greet: printf 'to %s: "%s"' "$IPC_URL" "$(cat)""#, "- scheme notes: com.example.Notes",
                "- scheme Notes: org.example.Older", "- handle page+x: cat",
                "- default greet: org.swiftipc.handle.greet",
                "- default later: org.example.Later", "- default notes: com.example.Notes",
                "- policy com.example.Notes",
                "- policy org.example.Later",
            ], "\(pruned)")
        #expect(try await rank("tasks") == ["com.example.Notes"])
        #expect(try await Tools.client(["scheme", "list"]).succeeded().lines.count == 1)
        // A list that is not in the file removes nothing.
        let other = #"{"format": 1, "defaults": [], "policies": []}"#
        #expect(try await apply(other, "--prune").succeeded().output.isEmpty)
        let last = try await apply(#"{"format": 1, "claims": []}"#, "--prune").succeeded()
        #expect(last.output == "- scheme tasks: com.example.Notes\n")
        #expect(try await export() == none)
        #expect(try snapshot() == fresh)
        withExtendedLifetime(broker) {}
    }

    /// Each file also has settings without a mistake, which must not be applied.
    @Test(
        arguments: [
            (#""claims": [{"scheme": "b", "application": "a.B"}"#, "line 2: “,” or “]” is expected"),
            (#""claims": [{"scheme": "b"}]"#, "claims[0]: lacks the key “application”"),
            (#""claims": [{"scheme": "b", "application": "B"}]"#, "claims[0].application: the application id"),
            (#""claims": [{"scheme": "1b", "application": "a.B"}]"#, "claims[0].scheme: "),
            (#""claims": [{"scheme": "b", "application": "a.B", "exec": "no-such-program"}]"#, "claims[0].exec: "),
            (
                #""claims": [{"scheme": "b", "application": "a.B", "exce": "sh"}]"#,
                "claims[0].exce: there is no such key; did"
            ),
            (#""claims": [{"scheme": "b", "application": "a.B", "fd": 1}]"#, "claims[0].fd: must be true or false"),
            (#""claims": [{"scheme": "b", "handle": " "}]"#, "claims[0].handle: the command is empty"),
            (#""claims": [{"scheme": "b", "handle": "cat", "reply-type": "x"}]"#, "claims[0].reply-type: "),
            (
                #""claims": [{"scheme": "b", "application": "a.B"}, {"scheme": "B", "application": "a.B"}]"#,
                "claims[1]: a.B claims B twice"
            ),
            (
                #""claims": [{"scheme": "b", "application": "a.B", "exec": "sh"}, {"scheme": "c", "application": "a.B", "exec": "sh -x"}]"#,
                "claims[1].exec: a.B has another command at claims[0].exec"
            ),
            (
                #""claims": [{"scheme": "b", "application": "a.B", "exec": "sh"}, {"scheme": "c", "application": "a.B"}]"#,
                "claims[1].exec: a.B has another command at claims[0].exec"
            ),
            (
                #""claims": [{"scheme": "b", "application": "a.B", "fd": true}, {"scheme": "c", "application": "a.B"}]"#,
                "claims[1].fd: a.B has another value at claims[0].fd"
            ),
            (
                #""claims": [{"scheme": "b", "application": "a.B", "exec": "sh", "desktop": false}]"#,
                "claims[0].exec: needs the files"
            ),
            (
                #""claims": [{"scheme": "b", "application": "org.swiftipc.handle.b"}]"#,
                "claims[0].application: the application id org.swiftipc.handle.b belongs to"
            ),
            (
                #""claims": [{"scheme": "b", "handle": "a\u0000b"}]"#,
                "claims[0].handle: the command has the character NUL"
            ),
            (
                #""claims": [{"scheme": "b", "application": "a.B", "exec": "sh a\u0000b"}]"#,
                "claims[0].exec: the command has the character NUL"
            ),
            (
                #""claims": [{"scheme": "b", "handle": ""# + String(repeating: "a", count: 130_000) + #""}]"#,
                "claims[0].handle: the command has 130"
            ),
            (
                #""claims": [{"scheme": "d", "application": "a.B", "default": true}]"#,
                "defaults[0]: the scheme d has the default a.B already"
            ),
            (#""claims": {}"#, "claims: must be an array"), (#""claim": []"#, "claim: there is no such key"),
            (#""policies": [{"application": "a.B", "default": "ask"}]"#, "policies[0].default: must be"),
            (#""policies": [{"application": "a.B", "deny": ["x"]}]"#, "policies[0].deny[0]: "),
            (#""format": 2"#, "format: must be 1"),
        ])
    func aBadFileChangesNothing(mistake: String, message: String) async throws {
        let broker = try await BrokerProcess.start()
        try await configure()
        let old = try await export()
        let before = try snapshot()
        let format = mistake.contains("format") ? "" : #""format": 1, "#
        let good = #""defaults": [{"scheme": "d", "application": "a.D"}]"#
        let file = try PrivateBus.current.directory.appending("settings.json")
        try FileContents.write("{\(format)\(good),\n\(mistake)}", to: file)
        for options in [[], ["--prune"], ["--dry-run"]] {
            let refused = try await Tools.client(["scheme", "apply", file] + options)
            #expect(refused.status == .exited(65) && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains(message) && refused.errors.contains("nothing was changed"), "\(refused)")
        }
        #expect(try snapshot() == before)
        #expect(try await export() == old)
        // The control: without the mistake, the file is accepted.
        try FileContents.write(#"{"format": 1, \#(good)}"#, to: file)
        #expect(try await Tools.client(["scheme", "apply", file]).succeeded().output == "+ default d: a.D\n")
        withExtendedLifetime(broker) {}
    }

    private func isThere(_ path: String) throws -> Bool {
        (try? FileContents.read(try PrivateBus.current.directory.appending(path))) != nil
    }

    /// One application has claims with files and without.
    @Test func aClaimWithoutFilesBesideOneWithACommandIsExportedAndApplied() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(
            ["scheme", "register", "notes", "--exec", "\(try Binaries.path("ipc-server"))"] + Self.notes
        ).succeeded()
        _ = try await Tools.client(["scheme", "register", "tasks", "--no-desktop"] + Self.notes).succeeded()
        let settings = try await export()
        #expect(try await apply(settings, "--prune").succeeded().output.isEmpty)
        _ = try await Tools.client(["scheme", "register", "tasks"] + Self.notes).succeeded()
        #expect(try await export() != settings)
        let applied = try await apply(settings, "--prune").succeeded()
        #expect(applied.output == "~ scheme tasks: com.example.Notes (exec, desktop)\n", "\(applied)")
        #expect(try await export() == settings)
        _ = try await Tools.client(["scheme", "unregister", "--all", "--application", "com.example.Notes"]).succeeded()
        #expect(try await apply(settings).succeeded().lines.count == 2)
        #expect(try await export() == settings)
        withExtendedLifetime(broker) {}
    }

    @Test func aMissingKeyMeansItsDefaultValue() async throws {
        let broker = try await BrokerProcess.start()
        let plain = """
            {"format": 1,
             "claims": [{"scheme": "n", "application": "a.B"}, {"scheme": "g", "handle": "cat"}]}
            """
        #expect(try await apply(plain).succeeded().lines.count == 2)
        let (before, settings) = (try snapshot(), try await export())
        for command in [
            ["scheme", "register", "n", "--application", "a.B", "--persistent", "--default", "--fd", "--exec", "sh"],
            ["handle", "g", "--exec", "cat", "--reply", "--default"],
        ] {
            _ = try await Tools.client(command).succeeded()
        }
        #expect(try snapshot() != before)
        let applied = try await apply(plain).succeeded()
        #expect(
            applied.lines == [
                "~ scheme n: a.B (exec, default, fd)", "~ handle g: cat (reply-type, default)",
                "- default g: org.swiftipc.handle.g", "- default n: a.B",
            ], "\(applied)")
        #expect(try await export() == settings)
        #expect(try !isThere("data/dbus-1/services/a.B.service"))
        // The lists of the desktop are as before, too.
        let list = "config/mimeapps.list"
        #expect(try snapshot().elements[list] == before.elements[list])
        // The preference of the desktop goes even if the choice was forgotten before.
        _ = try await Tools.client(["handle", "g", "--exec", "cat", "--default"]).succeeded()
        _ = try await Tools.client(["scheme", "default", "--forget", "g"]).succeeded()
        #expect(try await apply(plain).succeeded().output == "~ handle g: cat (default)\n")
        #expect(try await apply(plain).succeeded().output.isEmpty)
        // `"desktop": false` removes the files.
        let bare = plain.replacing(#""a.B"}"#, with: #""a.B", "desktop": false}"#)
        #expect(try isThere("data/applications/a.B.desktop"))
        #expect(try await apply(bare).succeeded().output == "~ scheme n: a.B (desktop)\n")
        #expect(try !isThere("data/applications/a.B.desktop"))
        #expect(try await apply(bare).succeeded().output.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func theDescriptorFlagBelongsToTheApplication() async throws {
        let broker = try await BrokerProcess.start()
        let file = { (fd: Bool) in
            let claims = ["x", "y"].map { #"{"scheme": "\#($0)", "application": "a.B", "fd": \#(fd)}"# }
            return #"{"format": 1, "claims": [\#(claims.joined(separator: ", "))]}"#
        }
        #expect(try await apply(file(true)).succeeded().lines.count == 2)
        let settings = try await export()
        #expect(try await apply(file(false)).succeeded().lines.first == "~ scheme x: a.B (fd)")
        #expect(try await apply(file(false)).succeeded().output.isEmpty)
        // A later registration counts for the earlier claims of the application, also after a restart.
        _ = try await Tools.client(["scheme", "register", "x", "--application", "a.B", "--persistent", "--fd"])
            .succeeded()
        try await broker.restart()
        #expect(try await export() == settings)
    }

    @Test func theOrderOfClaimsThatExistIsRestored() async throws {
        let broker = try await BrokerProcess.start()
        let ids = ["a.A", "b.B", "c.C"]
        for id in ids {
            _ = try await Tools.client(["scheme", "register", "n", "--application", id, "--persistent"]).succeeded()
        }
        let settings = try await export()
        // The oldest claim becomes the youngest.
        _ = try await Tools.client(["scheme", "unregister", "n", "--application", "a.A"]).succeeded()
        _ = try await Tools.client(["scheme", "register", "n", "--application", "a.A", "--persistent"]).succeeded()
        #expect(try await rank("n") == ["b.B", "c.C", "a.A"])
        let applied = try await apply(settings).succeeded()
        #expect(applied.lines == ["~ scheme n: b.B (order)", "~ scheme n: c.C (order)"], "\(applied)")
        #expect(try await rank("n") == ids)
        #expect(try await export() == settings)
        #expect(try await apply(settings, "--prune").succeeded().output.isEmpty)
        // A choice does not show the age of its application.
        _ = try await Tools.client(["scheme", "default", "n", "c.C"]).succeeded()
        #expect(try await apply(settings).succeeded().output.isEmpty)
        #expect(try await apply(settings, "--prune").succeeded().lines.last == "- default n: c.C")
        #expect(try await rank("n") == ids)
        #expect(try await apply(settings, "--prune").succeeded().output.isEmpty)
        try await broker.restart()
        #expect(try await export() == settings)
    }

    @Test func missingFilesAreWrittenAgain() async throws {
        let broker = try await BrokerProcess.start()
        try await configure()
        let (before, settings) = (try snapshot(), try await export())
        for path in ["dbus-1/services/org.swiftipc.handle.greet.service", "applications/org.example.Older.desktop"] {
            try #require(unlink(try PrivateBus.current.directory.appending("data/\(path)")) == 0)
            let applied = try await apply(settings).succeeded()
            #expect(applied.lines.count == 1 && applied.output.hasSuffix(" (files)\n"), "\(applied)")
            #expect(try isThere("data/\(path)"))
            #expect(try await apply(settings).succeeded().output.isEmpty)
        }
        #expect(try snapshot().elements.keys.sorted() == before.elements.keys.sorted())
        withExtendedLifetime(broker) {}
    }

    /// The file states which claim comes first, so that this is no surprise.
    @Test func whatTheFileStatesCausesNoWarning() async throws {
        let broker = try await BrokerProcess.start()
        let settings = """
            {"format": 1,
             "claims": [{"scheme": "n", "application": "a.A"}, {"scheme": "n", "application": "b.B"}]}
            """
        let applied = try await apply(settings).succeeded()
        #expect(applied.lines.count == 2 && applied.errors.isEmpty, "\(applied)")
        let register = ["scheme", "register", "n", "--application", "c.C", "--persistent"]
        // The control: a claim that is not in a file has a warning; with --default, the application gets the URLs.
        #expect(try await Tools.client(register).succeeded().errors.contains("still goes to a.A"))
        let chosen = try await Tools.client(register + ["--default"]).succeeded()
        #expect(!chosen.errors.contains("still") && chosen.errors.contains("does not get its URLs"), "\(chosen)")
        let other = #"{"format": 1, "claims": [{"scheme": "n", "application": "d.D"}]}"#
        #expect(try await apply(other).succeeded().errors.contains("still goes to c.C"))
        withExtendedLifetime(broker) {}
    }

    @Test func aReservedSchemeNeedsPermission() async throws {
        let broker = try await BrokerProcess.start()
        let settings =
            #"{"format": 1, "claims": [{"scheme": "b", "application": "a.B"}, {"scheme": "mailto", "application": "a.B"}]}"#
        let refused = try await apply(settings)
        #expect(refused.status == .exited(77) && refused.errors.contains("--allow-reserved"), "\(refused)")
        #expect(try await Tools.client(["scheme", "list"]).succeeded().output.isEmpty)
        #expect(try await apply(settings, "--allow-reserved").succeeded().lines.count == 2)
        withExtendedLifetime(broker) {}
    }

    @Test func aFileThatDoesNotExistIsReported() async throws {
        let broker = try await BrokerProcess.start()
        #expect(try await Tools.client(["scheme", "apply", "/nowhere"]).status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    /// The broker rejects a later change; the message says how many were made.
    @Test func anInterruptedApplyContinuesWhenItIsRepeated() async throws {
        var limited = BrokerProcess.Settings()
        limited.arguments = ["--limit", "scheme-defaults=1"]
        let settings = """
            {"format": 1, "defaults": [{"scheme": "a", "application": "a.A"}, {"scheme": "b", "application": "a.A"}]}
            """
        let first = try await BrokerProcess.start(limited)
        let ended = try await apply(settings)
        #expect(ended.status == .exited(75) && ended.output == "+ default a: a.A\n", "\(ended)")
        #expect(ended.errors.contains("1 of 2 changes had been made"), "\(ended)")
        try await first.kill9()
        let second = try await BrokerProcess.start()
        #expect(try await apply(settings).succeeded().output == "+ default b: a.A\n")
        withExtendedLifetime(second) {}
    }

    @Test func anExportReadsAllPages() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "page-rows=2", "--limit", "page-rows-most=2"]
        let broker = try await BrokerProcess.start(settings)
        try await configure()
        for name in ["x", "y", "z"] {
            _ = try await Tools.client(["scheme", "default", name, "org.example.X"]).succeeded()
            _ = try await Tools.client(["scheme", "policy", "org.example.\(name)", "--deny", "a.B"]).succeeded()
        }
        let small = try Tools.json(try await Tools.client(["scheme", "export", "--json"]).succeeded().output)
        #expect(small["claims"]?.elements?.count == 7 && small["defaults"]?.elements?.count == 5, "\(small)")
        #expect(small["policies"]?.elements?.count == 5, "\(small)")
        withExtendedLifetime(broker) {}
    }

    @Test func anExportGoesToAFile() async throws {
        let broker = try await BrokerProcess.start()
        try await configure()
        let file = try PrivateBus.current.directory.appending("settings.json")
        try FileContents.write("old", to: file)
        let written = try await Tools.client(["scheme", "export", "--output", file]).succeeded()
        #expect(written.output.isEmpty)
        #expect(try await FileContents.text(file) == export())
        let short = try await Tools.client(["scheme", "export", "--json", "--output", "-"]).succeeded()
        #expect(short.lines.count == 1)
        #expect(try await Tools.client(["scheme", "apply", file]).succeeded().output.isEmpty)
        #expect(try await Tools.client(["scheme", "export", "--output", "/nowhere/x"]).status == .exited(73))
        withExtendedLifetime(broker) {}
    }
}
