import Glibc
import IPC
import IPCDBus
import IPCTesting
import Testing

/// Content for one reader, secrets, and content that expires.
@Suite(.privateBus)
struct ConsumedContentToolTests {
    @Test func readOnceContentIsReadByOneAndListedForAll() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["copy", "--once", "ticket"]).succeeded()
        #expect(try await Tools.client(["board", "show", "general", "--preview"]).succeeded().output.contains("once"))
        #expect(try await Tools.client(["paste", "--list-types"]).output.contains("text/plain"))
        #expect(try await Tools.client(["paste"]).output == "ticket")
        #expect(try await Tools.client(["paste"]).outputBytes.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func aSensitiveItemIsMarkedAndReadOnce() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "vault", "--sensitive"], input: .text("hunter2")).succeeded()
        let shown = try await Tools.client(["board", "show", "vault", "--preview", "--json"]).succeeded()
        #expect(shown.output.contains("\"sensitive\":true") && !shown.output.contains("hunter2"))
        #expect(try await Tools.client(["get", "vault"]).output == "hunter2")
        #expect(try await Tools.client(["get", "vault"]).outputBytes.isEmpty)
        withExtendedLifetime(broker) {}
    }

    /// Other programs recognize a secret by this type, whose name is not a MIME type.
    @Test func theMarkOfAPasswordManagerMakesContentSensitive() async throws {
        let broker = try await BrokerProcess.start()
        let mark = try PrivateBus.current.directory.appending("mark")
        try FileContents.write("secret", to: mark)
        let type = "x-kde-passwordManagerHint"
        let copied = try await Tools.client(["copy", "--type", "\(type)=\(mark)", "-"], input: .text("hunter2"))
        #expect(try copied.succeeded().errors.isEmpty)
        #expect(
            try await Tools.client(["board", "show", "--json", "general"]).succeeded().output
                .contains("\"sensitive\":true"))
        #expect(try await Tools.client(["paste"]).output == "hunter2")
        #expect(try await Tools.client(["paste"]).outputBytes.isEmpty)
        // The warnings of --sensitive apply.
        let told = try await Tools.client(["copy", "--type", "\(type)=\(mark)", "--expire", "10m", "hunter2"])
        let warnings = try told.succeeded().errors
        #expect(warnings.contains("can see command-line arguments") && warnings.contains("kept for"), "\(warnings)")
        // The controls: another type does not mark the content, and another bare word is still no type.
        _ = try await Tools.client(["copy", "--type", "text/x-hint=\(mark)", "hunter2"]).succeeded()
        #expect(try await !Tools.client(["board", "show", "--json", "general"]).output.contains("\"sensitive\":true"))
        #expect(try await Tools.client(["copy", "--type", "png=\(mark)", "x"]).status == .exited(65))
        withExtendedLifetime(broker) {}
    }

    /// A watching command does not read content that may be read only once: that is left to its reader.
    @Test func aWatchingCommandDoesNotConsume() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["copy", "--once", "ticket"]).succeeded()
        let told = try await Tools.client([
            "watch", "general", "--since", "0", "--count", "1", "--exec", "cat; echo \"once=$IPC_ONCE\"",
        ])
        #expect(told.output == "once=1\n", "\(told)")
        #expect(try await Tools.client(["paste"]).output == "ticket")
        withExtendedLifetime(broker) {}
    }

    @Test func expiredContentIsGoneAndReported() async throws {
        let broker = try await BrokerProcess.start()
        let set = try await Tools.client(["copy", "--expire", "300ms", "--json", "short"]).succeeded()
        let count = try JSONText.string("change-count", in: set.output)
        let told = try await Tools.client(["watch", "general", "--since", count, "--count", "1"]).succeeded()
        #expect(told.output.contains("\tempty\t"))
        #expect(try await Tools.client(["paste"]).outputBytes.isEmpty)
        _ = try await Tools.client(["copy", "--expire", "1h", "long"]).succeeded()
        #expect(try await Tools.client(["board", "show", "general"]).succeeded().output.contains("(in 59 min)"))
        withExtendedLifetime(broker) {}
    }

    @Test func anExportOmitsConsumableContentAndSaysSo() async throws {
        let folder = try PrivateBus.current.directory.appending("export")
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "open", "text"]).succeeded()
        _ = try await Tools.client(["set", "vault", "--sensitive"], input: .text("hunter2")).succeeded()
        _ = try await Tools.client(["set", "ticket", "--once", "one reader"]).succeeded()
        let exported = try await Tools.client(["board", "export", folder]).succeeded()
        #expect(exported.errors.contains("2 versions"), "\(exported)")
        let table = try FileContents.text(folder + "/store.jsonl")
        #expect(table.contains("text") && !table.contains("hunter2") && !table.contains("one reader"))
        // Nothing was consumed, so the content can still be read.
        #expect(try await Tools.client(["get", "ticket"]).output == "one reader")
        _ = try await Tools.client(["board", "import", "--replace", folder]).succeeded()
        #expect(try await Tools.client(["get", "open"]).output == "text")
        #expect(try await Tools.client(["get", "ticket"]).outputBytes.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func statusShowsUsageBySource() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "board", "12345", "--application", "org.example.Source"]).succeeded()
        let lines = try await Tools.client(["broker", "status"]).succeeded().lines.map {
            $0.split(separator: "\t").map(String.init)
        }
        let bytes = try #require(lines.first { $0.starts(with: ["limit", "bytes"]) })
        #expect(Int(bytes[2]) == 5 && Int(bytes[3]) != nil)
        let source = try #require(lines.first { $0.starts(with: ["source", "org.example.Source"]) })
        #expect(source.count == 5 && source[4] == "5")
        withExtendedLifetime(broker) {}
    }

    /// Content that cannot be written is put back, with all of its metadata.
    @Test(arguments: [
        (["set", "b", "--once", "kept"], ["get", "b"]), (["set", "b", "kept"], ["get", "b", "--take"]),
        (["set", "b", "--once", "kept"], ["get", "b", "--json"]),
        (["set", "b", "kept"], ["get", "b", "--json", "--take"]),
        (["set", "b", "--sensitive", "kept"], ["get", "b"]),
    ])
    func contentThatCannotBeWrittenIsNotLost(write: [String], read: [String]) async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(write).succeeded()
        let program = try Binaries.path("ipc-client")
        let full = try await RunningProcess.run("/bin/sh", ["-c", "exec \"$0\" \"$@\" >/dev/full", program] + read)
        #expect(full.status == .exited(74) && full.errors.contains("is on the pasteboard again"), "\(full)")
        let marks = try await Tools.client(["board", "history", "b"]).succeeded().lines.last ?? ""
        #expect(marks.contains("once") == write.contains("--once") || write.contains("--sensitive"), "\(marks)")
        #expect(marks.contains("sensitive") == write.contains("--sensitive"), "\(marks)")
        #expect(try await Tools.client(["get", "b", "--take"]).succeeded().output == "kept")
        // The control: content that was written is gone.
        #expect(try await Tools.client(["get", "b"]).succeeded().output.isEmpty)
        withExtendedLifetime(broker) {}
    }

    /// The first signal waits for the broker's answer; the second one ends the program at once. After either, the file
    /// is unchanged and no temporary file is left.
    @Test(arguments: [1, 2])
    func aSignalLeavesTheOutputFileUnchanged(signals: Int) async throws {
        let broker = try await BrokerProcess.start()
        let app = try await Application.connect(id: "demo.Writer", bus: .address(PrivateBus.current.address))
        let (asked, signalled) = (Collected<Void>(), Collected<Void>())
        try await app.pasteboard(named: "b", create: true).setItems([], promising: [[.html]]) { _, _ in
            asked.add(())
            _ = try await signalled.wait(for: 1)
            return .text("new")
        }
        let folder = try PrivateBus.current.directory.makeDirectory("output")
        try FileContents.write("old", to: "\(folder)/file")
        let read = ["get", "b", "--type", "text/html", "--output", "\(folder)/file"]
        let reader = try await RunningProcess.start(try Binaries.path("ipc-client"), read, input: .none)
        _ = try await asked.wait(for: 1)
        // The program has created its temporary file by now.
        #expect(FileContents.names(in: folder)?.count == 2)
        for number in [SIGINT, SIGTERM].prefix(signals) { try await reader.handle(number) }
        if signals == 1 { signalled.add(()) }
        #expect(try await reader.wait() == .exited(2))
        signalled.add(())
        #expect(FileContents.names(in: folder) == ["file"])
        #expect(try FileContents.text("\(folder)/file") == "old")
        // The control: without a signal, the file is replaced.
        _ = try await RunningProcess.run(try Binaries.path("ipc-client"), read).succeeded()
        #expect(FileContents.names(in: folder) == ["file"])
        #expect(try FileContents.text("\(folder)/file") == "new")
        await app.close()
        withExtendedLifetime(broker) {}
    }

    /// The signal arrives between the call and its answer, while the writer has yet to provide the promised content.
    @Test(arguments: [["get", "b", "--take", "--type", "text/html"], ["get", "b", "--take", "--json"]])
    func aSignalDuringATakeLosesNothing(read: [String]) async throws {
        let broker = try await BrokerProcess.start()
        let app = try await Application.connect(id: "demo.Writer", bus: .address(PrivateBus.current.address))
        let (asked, signalled) = (Collected<Void>(), Collected<Void>())
        try await app.pasteboard(named: "b", create: true).setItems([], promising: [[.html]]) { _, _ in
            asked.add(())
            _ = try await signalled.wait(for: 1)
            return .text("kept")
        }
        let reader = try await RunningProcess.start(try Binaries.path("ipc-client"), read, input: .none)
        _ = try await asked.wait(for: 1)
        try await reader.handle(SIGINT)
        signalled.add(())
        #expect(try await reader.wait() == .exited(2))
        #expect(reader.output.text.isEmpty && reader.errors.text.contains("is on the pasteboard again"))
        #expect(try await Tools.client(["get", "b", "--take"]).succeeded().output == "kept")
        await app.close()
        withExtendedLifetime(broker) {}
    }

    /// The content does not fit into a pipe; its reader leaves, or a signal arrives, before all of it was read.
    @Test(
        arguments: [["get", "b"], ["get", "b", "--json"], ["get", "b", "--output", "/dev/stdout"]], [SIGPIPE, SIGINT])
    func partlyReadContentIsNotLost(read: [String], signal: CInt) async throws {
        let broker = try await BrokerProcess.start()
        let text = String(repeating: "0123456789", count: 100_000)
        _ = try await Tools.client(["set", "b", "--once"], input: .text(text)).succeeded()
        let directory = try PrivateBus.current.directory
        let pipe = directory.appending("pipe")
        _ = try await RunningProcess.run("mkfifo", [pipe]).succeeded()
        let program = try Binaries.path("ipc-client")
        let writer = try await RunningProcess.start(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" >\(pipe)", program] + read, input: .none)
        let reader = open(pipe, O_RDONLY | O_CLOEXEC)
        var byte: UInt8 = 0
        #expect(Glibc.read(reader, &byte, 1) == 1)
        if signal == SIGINT { writer.signal(SIGINT) } else { close(reader) }
        #expect(try await writer.wait() == .exited(signal == SIGINT ? 2 : 74))
        if signal == SIGINT { close(reader) }
        #expect(writer.errors.text.contains("is on the pasteboard again"), "\(writer.errors.text)")
        #expect(try await Tools.client(["get", "b"]).succeeded().output == text)
        // The control: content that was read completely is gone.
        #expect(try await Tools.client(["get", "b"]).succeeded().output.isEmpty)
        withExtendedLifetime(broker) {}
    }
}

extension RunningProcess {
    /// Sends a signal, and returns when the program has handled it. No event reports this.
    fileprivate func handle(_ number: CInt) async throws {
        signal(number)
        try await withDeadline("handling of the signal \(number)") {
            while !self.statistics.hasHandledSignals { try await Task.sleep(for: .milliseconds(1)) }
        }
    }
}
