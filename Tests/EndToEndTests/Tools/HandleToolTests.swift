import Glibc
import IPCTesting
import Testing

/// `ipc-client handle`: a shell command that handles the URLs of a scheme, registered in one step.
@Suite(.privateBus)
struct HandleToolTests {
    private static let application = "org.swiftipc.handle.notes"

    private func handle(_ arguments: String...) async throws -> ProcessOutput {
        try await Tools.client(["handle"] + arguments)
    }

    /// A command that appends a line with its input to a file, and the path of that file.
    private func noting() throws -> (command: String, path: String) {
        let path = try PrivateBus.current.directory.appending("notes.txt")
        return ("echo \"$IPC_URL $IPC_SOURCE $(cat)\" >>'\(path)'", path)
    }

    /// Leaves out the broker's folder for sockets of direct connections.
    private func snapshot() throws -> HomeSnapshot { HomeSnapshot(try .current) { $0 == "run/swift-ipc" } }

    @Test func theCommandRunsOnceForEachRequestAndStopsAfterIt() async throws {
        let broker = try await BrokerProcess.start()
        let (command, path) = try noting()
        // The control: without the command, nothing handles the scheme.
        #expect(try await Tools.client(["send", "--url", "notes:a", "x"]).status == .exited(68))
        let told = try await handle("notes", "--exec", command).succeeded()
        #expect(told.lines.count == 4 && told.lines.allSatisfy { $0.hasPrefix("made /") }, "\(told)")
        for text in ["one", "two"] {
            let sent = try await Tools.client(["send", "--url", "notes:a?b=$(c)", text])
            #expect(sent.status == .success && sent.output.isEmpty, "\(sent)")
        }
        #expect(
            try FileContents.text(path)
                == "notes:a?b=$(c) demo.IPCClient one\nnotes:a?b=$(c) demo.IPCClient two\n")
        // A restart of the broker changes nothing.
        try await broker.restart()
        #expect(try await Tools.client(["send", "--url", "notes:", "three"]).status == .success)
        #expect(try FileContents.text(path).hasSuffix("three\n"))
    }

    /// Each request starts a process of its own, so some arrive while the process of an earlier one is exiting.
    @Test func noRequestOfManySimultaneousOnesIsLost() async throws {
        let broker = try await BrokerProcess.start()
        let (command, path) = try noting()
        _ = try await handle("notes", "--exec", command).succeeded()
        let texts = (1...24).map { "text \($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for text in texts {
                group.addTask {
                    let sent = try await Tools.client(["send", "--timeout", "60s", "--url", "notes:", text])
                    #expect(sent.status == .success, "\(sent)")
                }
            }
            try await group.waitForAll()
        }
        let lines = try FileContents.text(path).split(separator: "\n").map(String.init)
        #expect(lines.sorted() == texts.map { "notes: demo.IPCClient \($0)" }.sorted())
        withExtendedLifetime(broker) {}
    }

    @Test func theExitCodeIsTheOutcomeAndTheOutputTheReplyIfAsked() async throws {
        let broker = try await BrokerProcess.start()
        let command = "printf '<b>%s</b>' \"$(cat)\"; exit $((${#IPC_URL} > 8))"
        for (option, reply) in [
            ([], "[]"), (["--reply"], #"[[{"type":"text/plain;charset=utf-8","text":"<b>hi</b>"}]]"#),
            (["--reply-type", "text/html"], #"[[{"type":"text/html","text":"<b>hi</b>"}]]"#),
        ] {
            _ = try await Tools.client(["handle", "notes", "--exec", command] + option).succeeded()
            let sent = try await Tools.client(["send", "--json", "--url", "notes:a", "hi"])
            #expect(sent.status == .success && sent.output.contains("\"reply\":\(reply)"), "\(sent)")
            let failed = try await Tools.client(["send", "--json", "--url", "notes:abc", "hi"])
            #expect(failed.status == .exited(70) && failed.output.contains(#""error-code":"exit-1""#), "\(failed)")
        }
        withExtendedLifetime(broker) {}
    }

    @Test func aReservedSchemeIsHandledWithPermission() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await handle("https", "--exec", "cat", "--reply", "--allow-reserved").succeeded()
        #expect(try await Tools.client(["send", "--url", "https://a.example/", "x"]).output == "x")
        withExtendedLifetime(broker) {}
    }

    @Test func anOutputAboveTheLimitIsReportedAsTooLarge() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await handle("notes", "--exec", "head -c 17M /dev/zero", "--reply").succeeded()
        let called = try await Tools.client(["call", "notes:"])
        #expect(called.status == .exited(70) && called.errors.contains("16 MiB"), "\(called)")
        #expect(called.errors.contains("(reply-too-large)") && !called.errors.contains("cannot run"), "\(called)")
        withExtendedLifetime(broker) {}
    }

    /// The broker gets the claim of a command that did not wait for it.
    @Test func removingAlsoRemovesWhatAnInterruptedCommandHasLeft() async throws {
        let broker = try await BrokerProcess.start()
        let before = try snapshot()
        broker.signal(SIGSTOP)
        let interrupted = try await handle("notes", "--exec", "true", "--timeout", "500ms")
        #expect(interrupted.status == .exited(75) && interrupted.errors.contains("handle --remove notes"))
        broker.signal(SIGCONT)
        #expect(try await Tools.client(["scheme", "list"]).succeeded().output.contains(Self.application))
        #expect(try await Tools.client(["doctor"]).output.contains(" handle --remove notes\n"))
        let removed = try await handle("--remove", "notes").succeeded()
        #expect(removed.errors.isEmpty, "\(removed)")
        #expect(try await Tools.client(["scheme", "list"]).succeeded().output.isEmpty)
        #expect(try await handle("--remove", "notes").succeeded().errors.contains("nothing was changed"))
        #expect(try snapshot() == before)
        withExtendedLifetime(broker) {}
    }

    @Test func aLinkOfTheDesktopRunsTheCommand() async throws {
        let broker = try await BrokerProcess.start()
        let fifo = try PrivateBus.current.directory.appending("urls")
        _ = try await RunningProcess.run("mkfifo", [fifo]).succeeded()
        let reader = try await RunningProcess.start("sh", ["-c", "exec cat <>\(fifo)"], input: .none)
        _ = try await handle("Notes", "--exec", "echo \"$IPC_URL\" >'\(fifo)'").succeeded()
        _ = try await RunningProcess.run("gio", ["open", "notes:from?a=b&c"]).succeeded()
        #expect(try await reader.nextLine() == "notes:from?a=b&c")
        withExtendedLifetime(broker) {}
    }

    @Test func repeatingACommandChangesNothingAndAnotherOneReplacesIt() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await handle("notes", "--exec", "echo first", "--reply").succeeded()
        let before = try snapshot()
        let again = try await handle("notes", "--exec", "echo first", "--reply").succeeded()
        #expect(again.output.isEmpty && again.errors.isEmpty, "\(again)")
        #expect(try snapshot() == before)
        // Schemes are equal in any case of their letters.
        let other = try await handle("NOTES", "--exec", "echo second", "--reply").succeeded()
        #expect(other.output.contains("changed /") && other.errors.contains("echo first"), "\(other)")
        #expect(try await Tools.client(["call", "notes:"]).output == "second\n")
        #expect(try await handle("--list").succeeded().output == "NOTES\tauto\techo second\n")
        withExtendedLifetime(broker) {}
    }

    @Test func removingRestoresTheHomeAndNothingElse() async throws {
        let broker = try await BrokerProcess.start()
        let other = ["--application", "org.example.Notes"]
        _ = try await Tools.client(["scheme", "register", "notes", "--persistent"] + other).succeeded()
        let before = try snapshot()
        let conflicting = try await handle("notes", "--exec", "cat", "--reply", "--default").succeeded()
        #expect(conflicting.errors.contains("org.example.Notes"), "\(conflicting)")
        _ = try await handle("a+b.1-c", "--exec", "true").succeeded()
        #expect(try await Tools.client(["send", "--url", "notes:", "x"]).output == "x")
        #expect(try await handle("--list").succeeded().lines == ["a+b.1-c\tnone\ttrue", "notes\tauto\tcat"])
        _ = try await handle("--remove", "a+b.1-c").succeeded()
        let removed = try await handle("notes", "--remove").succeeded()
        #expect(removed.output.contains("removed /") && removed.errors.isEmpty, "\(removed)")
        #expect(try snapshot() == before)
        #expect(try await handle("--list").succeeded().output.isEmpty)
        // The claim of the other program is still there, and the user's choice is gone.
        let claims = try await Tools.client(["scheme", "list"]).succeeded()
        #expect(claims.output == "notes\torg.example.Notes\tpersistent\thandler\tno\tno\n")
        let resolved = try await Tools.client(["scheme", "resolve", "notes:"]).succeeded()
        #expect(resolved.output.contains("oldest-persistent") && resolved.errors.isEmpty, "\(resolved)")
        let nothing = try await handle("--remove", "notes").succeeded()
        #expect(nothing.output.isEmpty && nothing.errors.contains("nothing was changed"), "\(nothing)")
        #expect(try snapshot() == before)
        withExtendedLifetime(broker) {}
    }

    @Test func aCommandOfAlmostTheMostBytesRuns() async throws {
        let broker = try await BrokerProcess.start()
        let line = "echo ok #" + String(repeating: "a", count: 129_000)
        _ = try await handle("notes", "--exec", line, "--reply").succeeded()
        #expect(try await Tools.client(["call", "notes:"]).succeeded().output == "ok\n")
        withExtendedLifetime(broker) {}
    }

    @Test func noOtherRegistrationTakesTheIdOfACommand() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await handle("notes", "--exec", "cat").succeeded()
        let before = try snapshot()
        for kind in ["--persistent", "--transient"] {
            let refused = try await Tools.client([
                "scheme", "register", "notes", "--application", Self.application, kind, "--exec", "sh -c 'exec cat'",
            ])
            #expect(refused.status == .exited(65) && refused.errors.contains("'ipc-client handle"), "\(refused)")
        }
        #expect(try snapshot() == before)
        #expect(try await handle("--list").succeeded().lines.count == 1)
        withExtendedLifetime(broker) {}
    }

    @Test(
        arguments: [
            (["notes"], 64), (["--exec", "cat"], 64), (["notes", "--exec", " "], 64), (["--list", "notes"], 64),
            (["notes", "--remove", "--exec", "cat"], 64), (["no:tes", "--exec", "cat"], 65),
            (["https", "--exec", "cat"], 77),
            (["notes", "--exec", String(repeating: "a", count: 130_060)], 65),
            (["notes", "--exec", "cat", "--reply-type", "html"], 64),
        ] as [([String], Int32)])
    func aMistakeChangesNothing(arguments: [String], code: Int32) async throws {
        let broker = try await BrokerProcess.start()
        let before = try snapshot()
        let refused = try await Tools.client(["handle"] + arguments)
        #expect(refused.status == .exited(code) && !refused.errors.isEmpty, "\(refused)")
        #expect(try snapshot() == before)
        #expect(try await Tools.client(["scheme", "list"]).succeeded().output.isEmpty)
        withExtendedLifetime(broker) {}
    }
}
