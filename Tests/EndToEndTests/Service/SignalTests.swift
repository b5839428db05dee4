import Glibc
import IPC
import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// What the broker does on signals other than those that stop it.
@DBusActor
@Suite(.privateBus)
struct SignalTests {
    private func configure(_ text: String) throws {
        let folder = try PrivateBus.current.directory.makeDirectory("config/swift-ipc")
        try FileContents.write(text, to: folder + "/ipc-broker.conf")
    }

    private func installClaim(_ application: String, _ scheme: String) throws {
        let folder = try PrivateBus.current.directory.makeDirectory("data/swift-ipc/handlers")
        try FileContents.write("[Handler]\nSchemes=\(scheme);\n", to: "\(folder)/\(application).handler")
    }

    /// Sends a signal, and returns the log up to the line that ends the broker's reaction.
    private func signal(_ number: Int32, _ broker: BrokerProcess, until end: String) async throws -> [String] {
        broker.signal(number)
        var lines: [String] = []
        while lines.last?.contains(end) != true { lines.append(try #require(try await broker.nextLogLine())) }
        return lines
    }

    @Test func `SIGHUP applies the configuration, and tells what has changed and what will change`() async throws {
        try configure("[Log]\nlevel=info\n")
        let broker = try await BrokerProcess.start()
        #expect(try await signal(SIGHUP, broker, until: "reloaded").count == 1)
        try configure("[Log]\nlevel=debug\n[Limits]\nwatchers=7\n[Desktop]\nopen=false\n")
        let lines = try await signal(SIGHUP, broker, until: "reloaded")
        func line(_ setting: String) -> String? { lines.first { $0.contains("setting=\(setting)") } }
        #expect(line("level")?.contains("from=info, setting=level, to=debug") == true, "\(lines)")
        #expect(line("open")?.contains("from=true, setting=open, to=false") == true)
        #expect(line("watchers")?.contains("next broker") == true && line("level")?.contains("next broker") == false)
        #expect(lines.count == 4)
        // The new level is in use: each request is logged from “debug” on.
        let client = try await BrokerClient()
        await #expect(throws: CallError.self) { try await client.open("unclaimed.demo:x") }
        let handler = try await TestHandler("demo.Signals", "signals.demo")
        _ = try await client.open("signals.demo:x")
        #expect(try await broker.nextLogLine()?.contains(" debug: ") == true)
        withExtendedLifetime(handler) {}
    }

    @Test func `SIGHUP reads the installed claims, and tells which handlers have changed`() async throws {
        let broker = try await BrokerProcess.start()
        let client = try await BrokerClient()
        func handler() async throws -> String? {
            try await client.call(Schemes1.resolveURL, ("installed.demo:", NoOptions())).application
        }
        #expect(try await handler() ?? "" == "")
        try installClaim("demo.Installed", "installed.demo")
        #expect(try await handler() ?? "" == "")
        let lines = try await signal(SIGHUP, broker, until: "reloaded")
        #expect(try await handler() == "demo.Installed")
        #expect(lines.first?.contains("from=none, scheme=installed.demo, to=demo.Installed") == true, "\(lines)")
    }

    @Test func `an invalid file changes nothing, and the log says where the mistake is`() async throws {
        try configure("[Log]\nlevel=info\n")
        let broker = try await BrokerProcess.start()
        try configure("[Log]\nlevel=debug\n[Limits]\nwatchers=many\n")
        try installClaim("demo.Installed", "installed.demo")
        let lines = try await signal(SIGHUP, broker, until: "only the installed claims were read again")
        #expect(lines.first?.contains(" error: the configuration stays as it is: ") == true, "\(lines)")
        #expect(lines.first?.contains("ipc-broker.conf:4: ") == true)
        // The claims are read nevertheless. The level is the old one, so the next line is not about a request.
        #expect(lines.count == 3)
        let handler = try await TestHandler("demo.Signals", "signals.demo")
        _ = try await BrokerClient().open("signals.demo:x")
        #expect(try await signal(SIGUSR1, broker, until: "limits").count == 2)
        withExtendedLifetime(handler) {}
    }

    @Test func `SIGUSR1 logs the state, whatever the level`() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--log-level", "info"]
        let broker = try await BrokerProcess.start(settings)
        let client = try await BrokerClient()
        try await client.create("one")
        try await client.create("two")
        // The pasteboard “general” always exists.
        let handler = try await TestHandler("demo.Signals", "signals.demo")
        let lines = try await signal(SIGUSR1, broker, until: "limits")
        #expect(lines.first?.contains("pasteboards=3") == true && lines.first?.contains("pending-requests=0") == true)
        #expect(lines.last?.contains("pasteboards=3 of 100000, schemes=1 of 200000") == true, "\(lines)")
        withExtendedLifetime(handler) {}
    }

    @Test func `SIGUSR2 does nothing, and SIGTERM still stops the broker`() async throws {
        let broker = try await BrokerProcess.start()
        broker.signal(SIGUSR2)
        #expect(try await signal(SIGUSR1, broker, until: "limits").count == 2)
        #expect(try await broker.terminate() == .success)
    }
}

/// The form of the broker's log.
@Suite(.privateBus)
struct LogFormatTests {
    private func errors(_ arguments: [String], journal: Bool = false) async throws -> [Substring] {
        let bus = try PrivateBus.current
        // The log goes to a file, whose device and inode the shell puts into JOURNAL_STREAM.
        let variable = journal ? "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) " : "JOURNAL_STREAM=1:1 "
        let log = bus.directory.appending("log")
        let script = "exec 2>\(log); \(variable) exec \"$0\" \"$@\""
        let output = try await RunningProcess.run(
            "sh", ["-c", script, Binaries.path("ipc-broker"), "--config", "/nowhere"] + arguments,
            environment: bus.environment)
        #expect(output.status == .exited(66))
        return try FileContents.text(log).split(separator: "\n")
    }

    @Test func `the journal gets priorities, and anything else gets times`() async throws {
        let journal = try await errors([], journal: true)
        #expect(journal.count == 1 && journal.first?.hasPrefix("<3>/nowhere") == true, "\(journal)")
        let file = try await errors([])
        #expect(file.count == 1 && file.first?.hasPrefix("20") == true && file.first?.contains("Z error: ") == true)
    }

    @Test func `with --log-format json, each line is an object`() async throws {
        let lines = try await errors(["--log-format", "json"])
        let text = try #require(lines.first)
        #expect(lines.count == 1 && text.hasPrefix("{\"time\":\"20") && text.hasSuffix("\"fields\":{}}"), "\(lines)")
        #expect(text.contains("\"level\":\"error\",\"message\":\"/nowhere"))
    }
}
