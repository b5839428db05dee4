import IPCTesting
import Testing

/// The tools' messages for mistakes that users make in their first hour.
@Suite(.privateBus)
struct FirstMistakeTests {
    @Test func anUnknownCommandIsNamed() async throws {
        let wrong = try await Tools.client(["sned", "hello"])
        #expect(wrong.status == .exited(64) && wrong.output.isEmpty)
        #expect(wrong.errors.contains("there is no command “sned”, did you mean “send”?"), "\(wrong)")
        let option = try await Tools.client(["--vesion"])
        #expect(option.status == .exited(64) && option.errors.contains("'--version'?"), "\(option)")
        #expect(!option.errors.contains("--json"), "\(option)")
        // The control: a wrong option of an existing command is reported too.
        let right = try await Tools.client(["send", "--nonsense"])
        #expect(right.status == .exited(64) && right.errors.contains("--nonsense"), "\(right)")
    }

    @Test func aMissingBusIsReportedWithItsAddress() async throws {
        var environment = try PrivateBus.current.environment
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
        let alone = try await Tools.client(["board", "list"], environment: environment)
        #expect(alone.status == .exited(69) && alone.errors.contains("unix:path=/nowhere"), "\(alone)")
        let json = try await Tools.client(["board", "list", "--json"], environment: environment)
        #expect(json.status == .exited(69) && json.errors.hasPrefix(#"{"error":"NoBus","#), "\(json)")
        // The control: a bus without a broker is another error, with the same exit code.
        let bus = try await Tools.client(["board", "list", "--json"])
        #expect(bus.status == .exited(69) && bus.errors.hasPrefix(#"{"error":"StoreUnavailable","#), "\(bus)")
    }

    @Test func aSchemeWithoutAHandlerIsASentence() async throws {
        let broker = try await BrokerProcess.start()
        let resolved = try await Tools.client(["scheme", "resolve", "nobody.here:x"]).succeeded()
        #expect(resolved.output == "nobody\tno-handler\tnone\n")
        #expect(resolved.errors.contains("register nobody.here --application"), "\(resolved)")
        let opened = try await Tools.client(["open", "nobody.here:x"])
        #expect(opened.status == .exited(68) && opened.errors.contains("'ipc-client scheme list'"), "\(opened)")
        // The control: nothing is reported if there is a handler.
        try await Tools.claim()
        #expect(try await Tools.client(["scheme", "resolve", "IPCServer.demo:x"]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [
        (["bad scheme", "--application", "com.example.Notes"], "“bad scheme”"),
        (["notes", "--application", "Notes"], "“Notes”"),
    ])
    func anInvalidNameIsReportedBeforeAMissingOption(arguments: [String], quoted: String) async throws {
        let wrong = try await Tools.client(["scheme", "register"] + arguments)
        #expect(wrong.status == .exited(65) && wrong.errors.contains(quoted), "\(wrong)")
        #expect(!wrong.errors.contains("--persistent"))
        // The control: with correct names, the missing option is reported.
        let missing = try await Tools.client(["scheme", "register", "notes", "--application", "com.example.Notes"])
        #expect(missing.status == .exited(64) && missing.errors.contains("--persistent"), "\(missing)")
    }

    @Test func adviceUsesTheToolsOptions() async throws {
        let broker = try await BrokerProcess.start()
        let board = try await Tools.client(["get", "nosuchboard"])
        #expect(board.status == .exited(66) && board.errors.contains("'ipc-client set BOARD'"), "\(board)")
        let scheme = try await Tools.client([
            "scheme", "register", "https", "--application", "com.example.Notes", "--persistent",
        ])
        #expect(scheme.status == .exited(77) && scheme.errors.contains("--allow-reserved "), "\(scheme)")
        for output in [board, scheme] {
            #expect(!output.errors.contains("“create”") && !output.errors.contains("say “"))
        }
        withExtendedLifetime(broker) {}
    }

    @Test func aSimilarNameIsSuggested() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        _ = try await Tools.client(["set", "shopping", "milk"]).succeeded()
        for (command, question) in [
            (["get", "shoping"], "did you mean “shopping”?"), (["board", "show", "shoppnig"], "“shopping”?"),
            (["pick", "--board", "shoping"], "“shopping”?"),
            (["board", "remove", "shopping2"], "“shopping”?"),
            (["set", "shoping", "x", "--if-change-count", "1"], "“shopping”?"),
            (["open", "IPCServer.dmeo:x"], "did you mean “IPCServer.demo”?"),
            (["scheme", "can-open", "IPCSever.demo:x"], "“IPCServer.demo”?"),
            (["scheme", "list", "IPCSever.demo"], "“IPCServer.demo”?"),
            (["scheme", "resolve", "IPCSever.demo:"], "“IPCServer.demo”?"),
            (["open", "--to", "demo.IPCSever", "x:"], "did you mean “demo.IPCServer”?"),
            (["scheme", "policy", "demo.IPCSever", "--default", "deny"], "“demo.IPCServer”?"),
            (["scheme", "default", "IPCServer.demo", "demo.IPCSever"], "“demo.IPCServer”?"),
        ] {
            let output = try await Tools.client(command)
            #expect(output.errors.contains(question), "\(command): \(output)")
        }
        // The control: nothing is suggested if no name is similar, or if the name exists.
        for command in [
            ["get", "xyz"], ["open", "mailbox:x"], ["open", "--to", "demo.IPCServer", "IPCServer.demo:x"],
        ] {
            #expect(try await !Tools.client(command).errors.contains("did you mean"), "\(command)")
        }
        withExtendedLifetime(broker) {}
    }

    @Test func anIneffectiveDefaultIsReported() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let typo = try await Tools.client(["scheme", "default", "IPCServer.demo", "demo.IPCSever"]).succeeded()
        #expect(typo.errors.contains("demo.IPCSever, which does not claim “IPCServer.demo”"), "\(typo)")
        let resolved = try await Tools.client(["scheme", "resolve", "IPCServer.demo:x"]).succeeded()
        #expect(
            resolved.output.hasPrefix("demo.IPCServer\t") && resolved.errors.contains("demo.IPCSever"), "\(resolved)")
        let json = try await Tools.client(["scheme", "resolve", "IPCServer.demo:x", "--json"]).succeeded()
        #expect(json.output.contains(#""absent-default":"demo.IPCSever""#), "\(json)")
        // The control: an application with a claim is chosen without a message.
        let right = try await Tools.client(["scheme", "default", "IPCServer.demo", "demo.IPCServer"]).succeeded()
        #expect(right.errors.isEmpty, "\(right)")
        #expect(try await Tools.client(["scheme", "resolve", "IPCServer.demo:x"]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [["IPCServer.demo"], ["--all"]])
    func unregisteringAnUnclaimedSchemeIsReported(_ what: [String]) async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let typo = try await Tools.client(["scheme", "unregister", "--application", "demo.IPCSever"] + what).succeeded()
        #expect(typo.errors.contains("demo.IPCSever did not claim"), "\(typo)")
        // The control: nothing is reported if there was a claim to remove.
        let right = try await Tools.client(["scheme", "unregister", "--application", "demo.IPCServer"] + what)
            .succeeded()
        #expect(right.errors.isEmpty, "\(right)")
        withExtendedLifetime(broker) {}
    }

    @Test func onlyARunningHandlerReleasesItsClaim() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        let refused = try await Tools.client(["scheme", "unregister", "--all", "--application", "demo.IPCServer"])
        #expect(
            refused.status == .exited(73) && refused.errors.contains("is running, and only it can release its claim"),
            "\(refused)")
        try await Tools.claim()
        let taken = try await Tools.client(["scheme", "unregister", "--all", "--application", "demo.IPCServer"])
            .succeeded()
        #expect(
            taken.errors.contains("demo.IPCServer is running, and claims IPCServer.demo until it exits"), "\(taken)")
        #expect(try await Tools.client(["send", "hello"]).status == .success)
        #expect(try await server.terminate() == .success)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [["send", "hello"], ["open", "IPCServer.demo:x"]])
    func queueingForAnUnknownHandlerIsReported(_ command: [String]) async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let typo = try await Tools.client(command + ["--queue", "--to", "demo.IPCSever"]).succeeded()
        let id = try #require(typo.lines.first)
        #expect(typo.errors.contains("the application “demo.IPCSever” is unknown"), "\(typo)")
        #expect(typo.errors.contains("cancel \(id)"), "\(typo)")
        // Negative control: there is no warning for the application that claims the scheme, although it cannot be
        // started.
        let right = try await Tools.client(command + ["--queue", "--to", "demo.IPCServer"]).succeeded()
        #expect(right.errors.isEmpty, "\(right)")
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [
        (["get", "board", "--version", "5"], "“get” has no option --version"),
        (["board", "list", "--version"], "'ipc-client board list --help' lists its options"),
        (["help", "sned"], "did you mean “send”?"),
        (["set", "board", "--if-change-count", "-1", "x"], "'-1'"),
        (["get", "board", "--change-count", "-1"], "'-1'"),
    ])
    func ambiguousArgumentsAreReported(_ arguments: [String], _ part: String) async throws {
        let wrong = try await Tools.client(arguments)
        #expect(wrong.status == .exited(64) && wrong.output.isEmpty && wrong.errors.contains(part), "\(wrong)")
    }

    @Test func helpAndVersionAreAvailable() async throws {
        #expect(try await Tools.client(["--version"]).succeeded().lines.count == 1)
        #expect(try await Tools.client(["help", "send"]).succeeded().output.contains("ipc-client send"))
        #expect(try await Tools.client(["help"]).succeeded().output.contains("OPENING URLS"))
        #expect(try await Tools.client(["help", "board", "list"]).succeeded().output.contains("ipc-client board list"))
    }

    @Test func aNounWithoutAVerbListsItsCommands() async throws {
        for (line, command) in [([], "  broker "), (["board"], "  history "), (["broker"], "  describe ")] {
            let listed = try await Tools.client(line).succeeded()
            #expect(listed.output.contains(command) && listed.errors.isEmpty, "\(listed)")
            #expect(try await Tools.client(line + ["--help"]).succeeded().output == listed.output)
        }
    }

    @Test func aChangeCountCreatesNoPasteboard() async throws {
        let broker = try await BrokerProcess.start()
        let absent = try await Tools.client(["set", "newboard", "--if-change-count", "0", "x"])
        #expect(absent.status == .exited(66) && absent.errors.contains("leave out --if-change-count"), "\(absent)")
        #expect(try await Tools.client(["set", "newboard", "x"]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [("1h", true), ("60s", false)])
    func aSecretWithALongLifetimeIsReported(_ time: String, _ isTold: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let secret = ProcessInput.bytes(Array("hunter2".utf8))
        let set = try await Tools.client(["set", "b", "--sensitive", "--expire", time], input: secret).succeeded()
        #expect(set.errors.contains("kept for 60 s by default") == isTold, "\(set)")
        withExtendedLifetime(broker) {}
    }

    @Test func theAdviceForABareSchemeIncludesTheColon() async throws {
        let alone = try await Tools.client(["scheme", "can-open", "IPCServer.demo"])
        #expect(
            alone.status == .exited(65) && alone.errors.contains("for the scheme itself write “IPCServer.demo:”"),
            "\(alone)")
    }

    /// If a program starts with a closed standard stream, its connection to the bus could get that stream's descriptor
    /// number, and then receive the output.
    @Test func aClosedStreamIsAnErrorAndIsNotReplacedByAnotherFile() async throws {
        let broker = try await BrokerProcess.start()
        let client = try Binaries.path("ipc-client")
        let written = try await RunningProcess.run("/bin/sh", ["-c", "exec \(client) board list >&-"])
        #expect(written.status == .exited(74) && written.errors.contains("Bad file descriptor"), "\(written)")
        let read = try await RunningProcess.run("/bin/sh", ["-c", "exec \(client) set board <&-"])
        #expect(read.status == .exited(74) && read.errors.contains("Bad file descriptor"), "\(read)")
        // The control: an open stream that accepts nothing is reported with its own reason.
        let full = try await RunningProcess.run("/bin/sh", ["-c", "exec \(client) board list >/dev/full"])
        #expect(full.status == .exited(74) && full.errors.contains("No space left"), "\(full)")
        withExtendedLifetime(broker) {}
    }

    @Test func aHandlerThatReturnsARequestAndExitsIsNamed() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await RunningProcess.start(
            "/bin/sh", ["-c", "exec \(Binaries.path("ipc-server")) >/dev/full"])
        try await server.errors.waitForLine { $0.contains("listening as ") }
        let sent = try await Tools.client(["send", "hello"])
        #expect(sent.status == .exited(69), "\(sent)")
        #expect(sent.errors.hasPrefix("ipc-client: demo.IPCServer returned the request unread; then"), "\(sent)")
        #expect(try await server.wait() == .exited(74))
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [
        (["scheme", "list", "notes:"], 65, "write “notes”"),
        (["request", "trace", "nope"], 65, "'ipc-client request list' lists"),
        (["request", "cancel", "nope"], 65, "'ipc-client request list' lists"),
        (["board", "history", "notes", "--keep", "101"], 64, "from 0 to 100"),
        (["get", "notes", "--item", "-1"], 64, "from 0 to"),
        (["get", "notes", "--change-count", "abc"], 64, "from 0 to"),
        (["scheme", "unregister", "notes", "--all", "--application", "com.example.Notes"], 64, "not both"),
        (["send", "--queue", "--url", "nobody.here:", "x"], 68, "register SCHEME --application ID --persistent"),
    ])
    func aMistakeIsReportedWithTheCorrection(arguments: [String], code: Int32, right: String) async throws {
        let broker = try await BrokerProcess.start()
        let wrong = try await Tools.client(arguments)
        #expect(wrong.status == .exited(code) && wrong.errors.contains(right), "\(wrong)")
        withExtendedLifetime(broker) {}
    }

    @Test func rulesForAnUnknownApplicationAndUnclaimedSchemesAreReported() async throws {
        let broker = try await BrokerProcess.start()
        let rules = try await Tools.client(["scheme", "policy", "com.example.Typo", "--deny", "com.example.Other"])
            .succeeded()
        #expect(rules.errors.contains("the application “com.example.Typo” is unknown"), "\(rules)")
        #expect(
            try await Tools.client(["scheme", "list", "nobody.here"]).succeeded().errors.contains("no application has"))
        // The control: nothing is reported about a known application.
        try await Tools.claim()
        let known = try await Tools.client(["scheme", "policy", "demo.IPCServer", "--deny", "com.example.Other"])
            .succeeded()
        #expect(known.errors.isEmpty, "\(known)")
        #expect(try await Tools.client(["scheme", "list", "IPCServer.demo"]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func aMissingReplyIsNotAnEmptyReply() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let id = try await Tools.client(["send", "--queue", "x"]).succeeded().lines[0]
        let early = try await Tools.client(["request", "show", "--reply", id])
        #expect(early.status == .exited(75) && early.errors.contains("request wait \(id)"), "\(early)")
        // The control: once the request has ended, its reply can be shown.
        let server = try await Tools.server(["--reply", "done", "--count", "1"])
        _ = try await Tools.client(["request", "wait", id]).succeeded()
        #expect(try await Tools.client(["request", "show", "--reply", id]).succeeded().output == "done")
        #expect(try await server.wait() == .success)
        withExtendedLifetime(broker) {}
    }

    /// Only the session itself creates its runtime directory: one that `ipc-client` creates would belong to no session.
    @Test func aSessionClaimNeedsASession() async throws {
        let broker = try await BrokerProcess.start()
        var environment = try PrivateBus.current.environment
        let nowhere = try PrivateBus.current.directory.appending("nowhere")
        environment["XDG_RUNTIME_DIR"] = nowhere
        let arguments = ["scheme", "register", "notes", "--application", "com.example.Notes", "--transient"]
        let refused = try await Tools.client(arguments, environment: environment)
        #expect(refused.status == .exited(65) && refused.errors.contains("no such directory"), "\(refused)")
        #expect(!FileContents.exists(nowhere))
        withExtendedLifetime(broker) {}
    }

    /// A caller whose time-out is shorter than the start of the handler learns that the handler was being started.
    @Test func aStartThatTakesTooLongIsReported() async throws {
        let broker = try await BrokerProcess.start()
        try await PrivateBus.current.addService(name: "demo.IPCServer", exec: "/bin/sleep 60")
        try await Tools.claim()
        let sent = try await Tools.client(["send", "--timeout", "1s", "x"])
        #expect(sent.status == .exited(75) && sent.errors.contains("while the bus was starting"), "\(sent)")
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [["set", "b", "--type", "png", "x"], ["send", "--type", "foo", "x"]])
    func anInvalidTypeIsRejected(arguments: [String]) async throws {
        let broker = try await BrokerProcess.start()
        let wrong = try await Tools.client(arguments)
        #expect(wrong.status == .exited(65) && wrong.errors.contains("image/png, or a UTI"), "\(wrong)")
        // The control: a UTI is accepted.
        _ = try await Tools.client(["set", "b", "--type", "public.png", "x"]).succeeded()
        withExtendedLifetime(broker) {}
    }

    @Test func cancellingAnEndedRequestIsReported() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        let sent = try await Tools.client(["send", "--json", "x"]).succeeded()
        let id = try JSONText.string("id", in: sent.output)
        let late = try await Tools.client(["request", "cancel", id]).succeeded()
        #expect(late.errors.contains("has already ended, and is left unchanged: handled"), "\(late)")
        // The control: a request that has not ended is cancelled without a message.
        _ = try await server.terminate()
        try await Tools.claim()
        let queued = try await Tools.client(["send", "--queue", "x"]).succeeded().lines[0]
        #expect(try await Tools.client(["request", "cancel", queued]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [["get", "-dash"], ["send", "-the-end"]])
    func aWordWithADashIsNotARequestForHelp(arguments: [String]) async throws {
        let wrong = try await Tools.client(arguments)
        #expect(
            wrong.status == .exited(64) && wrong.output.isEmpty && wrong.errors.contains("write -- before"), "\(wrong)")
        // The control: the option for help still works.
        #expect(try await Tools.client(["get", "-h"]).succeeded().output.contains("USAGE"))
    }

    /// A queued request must not be queued again just because its id could not be shown.
    @Test func anIDThatCannotBePrintedIsInTheError() async throws {
        let broker = try await BrokerProcess.start()
        try await Tools.claim()
        let program = try Binaries.path("ipc-client")
        let full = try await RunningProcess.run("/bin/sh", ["-c", "exec \"$0\" send --queue x >/dev/full", program])
        let id = try #require(
            try await Tools.client(["request", "list"]).succeeded().lines.first?.prefix { $0 != "\t" })
        #expect(full.status == .exited(74) && full.errors.contains("\(id) is queued, so do not"), "\(full)")
        let gone = try await Tools.client(["scheme", "unregister", "--all", "--application", "demo.IPCServer"])
            .succeeded()
        #expect(gone.errors.contains("1 request still waits for demo.IPCServer"), "\(gone)")
        withExtendedLifetime(broker) {}
    }

    @Test func anEmptyInputIsReported() async throws {
        let broker = try await BrokerProcess.start()
        let empty = try await Tools.client(["set", "notes"], input: .text("")).succeeded()
        #expect(empty.errors.contains("standard input is empty"), "\(empty)")
        // The control: an intended empty text, and a text that is not empty.
        #expect(try await Tools.client(["set", "notes", ""]).succeeded().errors.isEmpty)
        #expect(try await Tools.client(["set", "notes"], input: .text("x")).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func aFutureChangeCountIsReported() async throws {
        let broker = try await BrokerProcess.start()
        let count = try JSONText.string(
            "change-count", in: try await Tools.client(["copy", "--json", "x"]).succeeded().output)
        for (since, isTold) in [("99999999", true), (count, false)] {
            let watcher = try await RunningProcess.start(
                try Binaries.path("ipc-client"), ["watch", "--since", since], input: .none)
            try await watcher.errors.waitForLine { $0.contains("watching all") }
            #expect(try await watcher.terminate() == .success)
            #expect(watcher.errors.text.contains("the number comes from another store") == isTold)
        }
        withExtendedLifetime(broker) {}
    }

    @Test func aMissingHandlerIsReportedInJSONToo() async throws {
        let broker = try await BrokerProcess.start()
        for arguments in [
            ["scheme", "list", "nobody.here", "--json"], ["scheme", "resolve", "nobody.here:x", "--json"],
        ] {
            let told = try await Tools.client(arguments).succeeded()
            #expect(told.errors.contains("\"warning\":\"NoHandler\""), "\(told)")
        }
        try await Tools.claim()
        #expect(try await Tools.client(["scheme", "list", "--json"]).succeeded().errors.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func aRejectedBrokerCreatesNoStore() async throws {
        let broker = try await BrokerProcess.start()
        let store = try PrivateBus.current.directory.appending("other-store")
        let second = try await RunningProcess.run(try Binaries.path("ipc-broker"), ["--store", store])
        #expect(second.status == .exited(73) && !FileContents.exists(store), "\(second)")
        withExtendedLifetime(broker) {}
    }

    /// - Parameter change: the command that changes the store: it deletes, moves or empties the folder, or deletes or
    ///   replaces only the database.
    @Test(arguments: [
        "rm -r $0", "mv $0 $0-moved", "rm -r $0 && mkdir -m 0700 $0", "rm $0/store.sqlite",
        "cp $0/store.sqlite $0/copy && mv $0/copy $0/store.sqlite",
    ])
    func aRemovedStoreAcceptsNothing(change: String) async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        _ = try await Tools.client(["set", "notes", "kept"]).succeeded()
        _ = try await Tools.client(["send", "hello"]).succeeded()
        _ = try await RunningProcess.run("/bin/sh", ["-c", change, broker.store]).succeeded()
        // A handler that starts now does not create the store's folder again, because that would look like a store.
        let isThere = FileContents.exists(broker.store)
        let late = try await Tools.server(["--application", "org.example.Late", "--scheme", "Late.demo"])
        #expect(FileContents.exists(broker.store) == isThere)
        let lost = try await Tools.client(["set", "notes", "lost"])
        #expect(lost.status == .exited(74) && lost.errors.contains("while its broker was running"), "\(lost)")
        // The handler is not called for a request that could not be recorded.
        for arguments in [["send", "again"], ["send", "--queue", "again"]] {
            let sent = try await Tools.client(arguments)
            #expect(sent.status == .exited(74) && sent.errors.contains("moved, removed or replaced"), "\(sent)")
        }
        #expect(
            try await Tools.client(["request", "list", "--json"]).succeeded().output.split(separator: "\n").count == 1)
        let doctor = try await Tools.client(["doctor", "--json"])
        #expect(doctor.status == .exited(69) && doctor.output.contains("\"store-gone\""), "\(doctor)")
        #expect(doctor.output.contains(change.hasPrefix("cp") ? "is now a different file" : "is gone"), "\(doctor)")
        let large = try await Tools.client(["set", "notes"], input: .text(String(repeating: "long ", count: 20_000)))
        #expect(large.status == .exited(74), "\(large)")
        let folder = try PrivateBus.current.directory.appending("export")
        _ = try await Tools.client(["board", "export", folder]).succeeded()
        #expect(try FileContents.text(folder + "/store.jsonl").contains("kept"))
        #expect(!server.output.text.contains("again"))
        withExtendedLifetime((broker, late)) {}
    }
}
