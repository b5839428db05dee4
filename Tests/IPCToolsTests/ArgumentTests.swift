import ArgumentParser
import Glibc
import IPC
import IPCModel
import IPCTesting
import Testing

@testable import IPCTools
@testable import ipc_client
@testable import ipc_server

@Suite("Command lines")
struct ArgumentTests {
    @Test(arguments: [
        ["send", "--file", "x", "text"], ["send", "--timeout", "0", "x"], ["send", "--color", "blue", "x"],
        ["scheme", "register", "x", "--application", "a.b"],
        ["scheme", "register", "--application", "a.b", "--persistent"],
        ["scheme", "unregister", "--application", "a.b"],
        ["scheme", "unregister", "x", "--all", "--application", "a.b"],
        ["scheme", "default", "x", "a.b", "--forget"], ["get"], ["get", "b", "--json", "--item", "0"],
        ["get", "b", "--item", "-1"],
        ["open"], ["listen", "--count", "0"], ["listen", "--reply", "x", "--decline"],
        ["listen", "--exec", "true", "--reply", "x"], ["nothing"], ["set"],
        ["copy", "--file", "x", "text"], ["copy", "--type", "a/b", "--type", "a/c", "x"], ["copy", "--expire", "0"],
        ["copy", "--type", "text/html=-", "-"], ["copy", "--type", "text/html=-", "--type", "text/plain=-"],
        ["copy", "--type", "image/png", "--type", "text/html=page.html"], ["copy", "--if-change-count", "-1", "x"],
        ["paste", "board"], ["paste", "--take", "--change-count", "1"], ["paste", "--list-types", "--take"],
        ["paste", "--list-types", "--type", "a/b"], ["paste", "--list-types", "--output", "x"],
        ["paste", "--json", "--type", "a/b"], ["watch", "--count", "0"], ["watch", "--json", "--exec", "true"],
        ["watch", "--since", "x"], ["watch", "--content"], ["watch", "-0", "--exec", "true"], ["board", "prune"],
        ["board", "prune", "--dry-run"],
        ["board", "prune", "--prefix", ""],
        ["board", "prune", "--older-than", "30y"], ["board", "show"], ["board", "history"], ["board", "export"],
        ["board", "import"], ["broker", "status", "x"],
        ["send", "--time-to-live", "1d", "x"], ["send", "--queue", "--time-to-live", "31d", "x"], ["call"],
        ["call", "x:", "--file", "f", "text"], ["call", "x:", "--type", "a/b"], ["call", "x:", "--queue"],
        ["request", "list", "--state", "lost"], ["request", "list", "--limit", "0"], ["request", "list", "x"],
        ["request", "show"], ["request", "show", "--reply", "a", "b"], ["request", "wait"],
        ["request", "wait", "--timeout", "0", "x"], ["request", "cancel"], ["request", "retry"],
        ["request", "drop"], ["request", "trace"], ["request", "trace", "a", "b"], ["scheme", "policy"],
        ["scheme", "policy", "a.B", "--default", "ask"],
        ["scheme", "policy", "a.B", "--allow", "c.D", "--deny", "c.D"], ["listen", "--window", "0"],
        ["listen", "--window", "1025"], ["listen", "--callbacks", "--no-callbacks"],
    ])
    func areWrongUsage(_ arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try IPCClientCommand.parseAsRoot(arguments) }
        #expect(error.map { IPCClientCommand.exitCode(for: $0).rawValue } == 64)
    }

    @Test(arguments: [
        (["copy", "--file", "a", "--file=b"], "--file"), (["set", "b", "--file", "a", "--file", "b"], "--file"),
        (["handle", "x", "--exec", "1", "--exec", "2"], "--exec"), (["send", "--url", "a:", "--url", "b:"], "--url"),
        (["copy", "--expire", "1m", "x", "--expire", "1m"], "--expire"),
        (["board", "list", "--color", "never", "--color", "always"], "--color"),
    ])
    func refuseAnOptionThatIsGivenTwice(_ arguments: [String], _ option: String) throws {
        let tool = IPCClientCommand.self
        let failure = #expect(throws: ToolFailure.self) { try ToolProcess.parse(tool, arguments) }
        #expect(failure?.exit == .usage && failure?.message.contains("\(option) is given twice") == true)
    }

    @Test(arguments: [
        ["copy", "--type", "image/png=a", "--type", "text/html=b"], ["listen", "--scheme", "a", "--scheme", "b"],
        ["send", "--json", "--json", "x"], ["send", "--url", "a:", "--", "--url", "b:"],
        // A value that is spelled like an option is not one.
        ["board", "list", "--timeout", "1s", "--color=auto"],
        ["send", "--file=--file", "--url=--file"],
    ])
    func acceptARepeatedWord(_ arguments: [String]) throws {
        _ = try ToolProcess.parse(IPCClientCommand.self, arguments)
    }

    @Test func nameACommandOfTheTree() {
        let top = IPCClientCommand.configuration.subcommands
        #expect(top.count <= 17)
        let tree = top.map { command in
            ([command._commandName] + command.configuration.subcommands.map { $0._commandName }).joined(separator: " ")
        }
        #expect(
            tree == [
                "send", "open", "call", "handle", "listen", "copy", "paste", "set", "get", "pick", "watch",
                "board list show history clear remove prune export import",
                "request list show wait cancel retry drop trace",
                "scheme list resolve can-open register unregister default policy export apply",
                "broker status describe",
                "doctor", "setup",
            ])
    }

    @Test(arguments: [[], ["board"], ["request"], ["scheme"], ["broker"]])
    func withoutAVerbListTheCommands(_ line: [String]) throws {
        var command = try ToolProcess.parse(IPCClientCommand.self, line)
        let error = try #require(#expect(throws: (any Error).self) { try command.run() })
        #expect(IPCClientCommand.exitCode(for: error).isSuccess)
        let help = IPCClientCommand.fullMessage(for: error)
        let named = NamedCommand(line, of: IPCClientCommand.self)
        let names = named.command.configuration.subcommands.map { $0._commandName }
        #expect(named.depth == line.count && !names.isEmpty)
        for name in names { #expect(help.contains("\n  \(name) "), "\(help)") }
    }

    /// The doctor has its own time-outs, and setup does not need the broker.
    @Test func limitHowLongTheyWaitForTheBroker() {
        let commands = IPCClientCommand.configuration.subcommands.flatMap { [$0] + $0.configuration.subcommands }
        let without = commands.filter { command in
            command is any ClientCommand.Type
                && !UnknownOption.names(of: command, in: IPCClientCommand.self).contains("timeout")
        }
        #expect(without.map { $0._commandName } == ["doctor", "setup"])
    }

    @Test func findAProgramToChooseWith() throws {
        let folder = try TemporaryDirectory("choosers")
        defer { folder.remove() }
        func chooser(_ isTerminal: Bool, _ display: String? = nil) -> String? {
            Chooser.installed(isTerminal: isTerminal) {
                $0 == "PATH" ? "/nowhere:\(folder.path)" : $0 == display ? "x" : nil
            }
        }
        #expect(chooser(true) == nil && chooser(false, "DISPLAY") == nil)
        for program in ["fzf", "rofi", "fuzzel"] {
            try FileContents.write("", to: folder.appending(program))
            chmod(folder.appending(program), 0o755)
        }
        #expect(chooser(true)?.hasPrefix("fzf ") == true && chooser(false) == nil)
        #expect(chooser(false, "DISPLAY")?.hasPrefix("rofi ") == true)
        #expect(chooser(false, "WAYLAND_DISPLAY")?.hasPrefix("fuzzel ") == true)
    }

    @Test func useTheNamesOfTheSamplesByDefault() throws {
        let send = try Send.parse(["hello", "world"])
        #expect(send.url == "IPCServer.demo://IPCServer.demo?key=value")
        #expect(send.pasteboard == "demo.IPCClient")
        #expect(send.request.application == "demo.IPCClient")
        #expect(send.request.timeout == nil && send.request.waitingTime == "20s")
        #expect(send.request.to == nil)
        #expect(try send.content.item() == .string("hello world"))
        #expect(try IPCServerCommand.parse([]).application == "demo.IPCServer")
        #expect(try Listen.parse([]).application == "demo.IPCClient")
    }

    @Test(arguments: [
        (["get", "--json=pretty", "b"], ["get", "--json-pretty", "b"]), (["get", "--json=short"], ["get", "--json"]),
        // A word after --json is never its form, and nothing after “--” is an option.
        (["send", "--json", "pretty"], ["send", "--json", "pretty"]),
        (["send", "--", "--json=pretty"], ["send", "--", "--json=pretty"]),
    ])
    func nameTheFormOfJSON(_ arguments: [String], _ flags: [String]) throws {
        #expect(try JSONForm.flags(in: arguments) == flags)
    }

    @Test func rejectAnUnknownFormOfJSON() {
        let failure = #expect(throws: ToolFailure.self) { try JSONForm.flags(in: ["get", "b", "--json=yaml"]) }
        #expect(failure?.exit == .usage && failure?.message.contains("--json=pretty") == true)
    }

    @Test(arguments: [
        (["--json"], JSONForm.short), (["--json-pretty"], .pretty), (["--json", "--json-pretty"], .pretty), ([], nil),
    ])
    func chooseTheFormOfJSON(_ flags: [String], _ form: JSONForm?) throws {
        #expect(try BoardList.parse(flags).output.form == form)
        #expect(JSONForm.stated(in: flags) == form)
    }

    @Test func keepTextUnchanged() throws {
        #expect(try Send.parse(["--", "-x", " a  b "]).content.item() == .string("-x  a  b "))
        #expect(try Send.parse([""]).content.item() == .string(""))
        #expect(try Send.parse(["--trim-newline", "a\n\n"]).content.item() == .string("a\n"))
        #expect(try SetBoard.parse(["board", "a", "b"]).content.item() == .string("a b"))
    }

    @Test func takeADashAsStandardInput() throws {
        #expect(try Send.parse(["-"]).content.words == ["-"])
        #expect(try SetBoard.parse(["board", "-"]).content.words == ["-"])
    }

    @Test func giveContentItsType() throws {
        func type(_ bytes: [UInt8], _ type: ContentType? = nil) -> Representation {
            Content.representation(.bytes(bytes), type)
        }
        #expect(type(Array("é".utf8)) == Representation(type: .utf8PlainText, value: .text("é")))
        #expect(type([0xFF]) == Representation(type: .octetStream, value: .bytes([0xFF])))
        #expect(type([0x61, 0]) == Representation(type: .octetStream, value: .bytes([0x61, 0])))
        #expect(type([0x61], .html) == Representation(type: .html, value: .text("a")))
        #expect(type([0xFF], .html) == Representation(type: .html, value: .bytes([0xFF])))
        #expect(type([0x61], .png) == Representation(type: .png, value: .bytes([0x61])))
        #expect(try Send.parse(["--type", "public.png", "x"]).content.item().types == [.png])
        #expect(throws: IPCError.self) { try Send.parse(["--type", "no type", "x"]).content.item() }
    }

    /// An argument has the form `TYPE=PATH`. The type may contain “=” itself, so the path follows the first “=” after a
    /// complete type.
    @Test(arguments: [
        ("text/html=page.html", "text/html", "page.html"), ("text/html=a=b", "text/html", "a=b"),
        ("text/plain;charset=utf-8=a.txt", "text/plain;charset=utf-8", "a.txt"), ("public.png=-", "public.png", "-"),
        ("a/b;c=\"d=e\"=f", "a/b;c=\"d=e\"", "f"), ("text/html=", "text/html", ""),
    ])
    func splitTypesFromPaths(_ text: String, _ type: String, _ path: String) throws {
        let file = try #require(TypedFile(text))
        #expect(file.type == type)
        #expect(file.path == path)
    }

    @Test(arguments: ["text/html", "text/plain;charset=utf-8", "public.png", "no type=x", "=x", ""])
    func doNotSplitTypesWithoutPaths(_ text: String) { #expect(TypedFile(text) == nil) }

    @Test func makeOneItemOfSeveralFiles() throws {
        let copy = try Copy.parse([
            "--type", "text/html=/proc/self/comm", "--type", "public.png", "--type", "application/json=/dev/null", "x",
        ])
        #expect(try copy.content.item().types.map(\.text) == ["image/png", "text/html", "application/json"])
        let twice = try Copy.parse(["--type", "text/html=/dev/null", "--type", "public.html=/dev/null"])
        #expect(throws: (any Error).self) { try twice.content.item() }
        let missing = try Copy.parse(["--type", "text/html=/nowhere/at/all"])
        let failure = #expect(throws: ToolFailure.self) { try missing.content.item() }
        #expect(failure?.exit == .noInput)
    }

    @Test func copyAndSetAreTwins() throws {
        let line = ["--once", "--expire", "10m", "--sensitive", "--if-change-count", "18446744073709551615", "text"]
        let copy = try Copy.parse(["--board", "b"] + line)
        let set = try SetBoard.parse(["b"] + line)
        #expect(copy.board == set.board && copy.content.words == set.content.words)
        #expect(copy.writing.options == set.writing.options)
        #expect(copy.writing.options.timeToLive == .seconds(600))
        #expect(copy.writing.options.isOnce && copy.writing.options.isSensitive)
        #expect(copy.writing.options.ifChangeCount == .max)
        #expect(try Copy.parse([]).board == "general")
        #expect(try Copy.parse(["x"]).writing.options == PasteboardOptions())
    }

    @Test func pasteAndGetAreTwins() throws {
        let line = ["--type", "a/b", "--item", "4294967295", "--change-count", "7", "--output", "f"]
        let (paste, get) = (try Paste.parse(["--board", "b"] + line), try Get.parse(["b"] + line))
        #expect(paste.board == get.board)
        for reading in [paste.reading, get.reading] {
            #expect(reading.type == "a/b" && reading.item == .max && reading.changeCount == 7 && reading.path == "f")
        }
        #expect(try Paste.parse([]).board == "general")
    }

    @Test func detectContentThatOthersCanSee() throws {
        #expect(try Copy.parse(["--sensitive", "x"]).content.isInArguments)
        #expect(try !Copy.parse(["--sensitive", "-"]).content.isInArguments)
        #expect(try !Copy.parse(["--sensitive"]).content.isInArguments)
    }

    @Test func findOptionsInInvalidLines() {
        let line = ["send", "--color=never", "--nonsense", "--json", "--", "--color", "always"]
        #expect(ArgumentVector.contains("--json", in: line))
        #expect(!ArgumentVector.contains("--json", in: ["send", "--", "--json"]))
        #expect(ArgumentVector.value(of: "--color", in: line) == "never")
        #expect(ArgumentVector.value(of: "--color", in: ["--color", "always"]) == "always")
        #expect(ArgumentVector.value(of: "--color", in: ["--color"]) == nil)
    }
}

@Suite("Tables and times")
struct TableTests {
    @Test func haveTabsInAPipeAndColumnsOnATerminal() {
        var table = Table("NAME", "COUNT")
        let plain = Style(.never, for: .output)
        #expect(table.text(aligned: true, style: plain).isEmpty)
        table.add("longer name", "1")
        table.add("x", "22")
        #expect(table.text(aligned: false, style: plain) == "longer name\t1\nx\t22")
        #expect(table.text(aligned: true, style: plain) == "NAME         COUNT\nlonger name  1\nx            22")
        // On a narrow terminal, the last field is shortened, but never to nothing.
        table.add("y", String(repeating: "3", count: 40))
        for (columns, count) in [(40, 26), (10, 19)] {
            let last = table.text(aligned: true, style: plain, columns: columns).split(separator: "\n").last
            #expect(last == "y            \(String(repeating: "3", count: count))…")
        }
    }

    @Test func timesAreRelativeOnATerminalAndUTCInAPipe() {
        let (time, now) = (
            Timestamp(millisecondsSince1970: 1_769_860_800_999), Timestamp(millisecondsSince1970: 1_769_861_000_000)
        )
        #expect(time.cell(isAligned: true, now: now) == "3 min ago")
        #expect(now.cell(isAligned: true, now: time) == "in 3 min")
        #expect(time.cell(isAligned: false, now: now) == "2026-01-31T12:00:00Z")
    }

    @Test func timesInJSONAreInUTCWithMilliseconds() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "JST-9", 1)
            let time = Timestamp(millisecondsSince1970: 1_769_860_800_009)
            #expect(JSONValue.time(time) == .string("2026-01-31T12:00:00.009Z"))
            #expect(JSONValue.time(Timestamp(millisecondsSince1970: .max)) == .string(""))
        }
    }

    @Test func timesAreLocalForPeopleAndInUTCForPrograms() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "JST-9", 1)
            let time = Timestamp(millisecondsSince1970: 1_769_860_800_009)
            let now = Timestamp(millisecondsSince1970: 1_769_860_860_009)
            #expect(time.text(isLocal: true) == "2026-01-31T21:00:00+09:00")
            #expect(time.text(isLocal: true, fraction: true) == "2026-01-31T21:00:00.009+09:00")
            #expect(time.told(isLocal: true, now: now) == "2026-01-31T21:00:00+09:00 (60 s ago)")
            #expect(time.text(isLocal: false) == "2026-01-31T12:00:00Z")
            #expect(time.told(isLocal: false, now: now) == "2026-01-31T12:00:00Z (60 s ago)")
        }
    }
}

@Suite("Signals to stop")
struct StopSignalTests {
    @Test func endTheWaitAndKeepTheWork() async throws {
        let stop = StopSignal()
        let waited = Task { try await stop.run(untilSignal: 1) { await cancelled() } }
        let worked = Task { try await stop.run(untilSignal: 2) { await cancelled() } }
        stop.raise()
        #expect(try await waited.value)
        #expect(try await stop.run(untilSignal: 1) { Task.isCancelled })
        #expect(stop.hasCome(1) && !stop.hasCome(2))
        stop.raise()
        #expect(stop.hasCome(2))
        #expect(try await worked.value)
    }

    /// Waits until the task is cancelled.
    private func cancelled() async -> Bool {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
        return Task.isCancelled
    }
}
