import IPCTesting
import Testing

/// `board export` and `board import` against the real broker.
@Suite(.privateBus)
struct MovingToolTests {
    private static let texts = ["one", "tab\tline\n\u{2028}\"\\", String(repeating: "long ", count: 2_000)]

    /// Fills a store with a pasteboard that has three versions, a pasteboard that contains bytes, and a claim.
    private func fill() async throws {
        _ = try await Tools.client(["set", "texts", "zero"]).succeeded()
        _ = try await Tools.client(["board", "history", "texts", "--keep", "2"]).succeeded()
        for text in Self.texts { _ = try await Tools.client(["set", "texts"], input: .text(text)).succeeded() }
        _ = try await Tools.client(["set", "日本 / bytes"], input: .bytes([0, 255, 10])).succeeded()
        _ = try await Tools.client(["copy", "general text"]).succeeded()
        _ = try await Tools.client(["scheme", "register", "Moved", "--application", "org.example.A", "--persistent"])
            .succeeded()
        _ = try await Tools.client(["scheme", "default", "moved", "org.example.A"]).succeeded()
    }

    private func counts(_ board: String) async throws -> [UInt64] {
        try await Tools.client(["board", "history", board]).lines.compactMap { UInt64($0.prefix { $0 != "\t" }) }
    }

    private func expectFilled(above old: UInt64) async throws {
        let counts = try await counts("texts")
        #expect(counts.count == 3 && counts.allSatisfy { $0 > old })
        for (count, text) in zip(counts, Self.texts) {
            let got = try await Tools.client(["get", "texts", "--change-count", String(count)])
            #expect(got.outputBytes == Array(text.utf8))
        }
        #expect(try await Tools.client(["get", "日本 / bytes"]).outputBytes == [0, 255, 10])
        #expect(try await Tools.client(["paste"]).output == "general text")
        #expect(try await Tools.client(["scheme", "default", "moved"]).output.contains("org.example.A"))
    }

    /// I11: the counts of the new store start above those of the old one.
    @Test func anExportRestoresIntoAnEmptyStore() async throws {
        let folder = try PrivateBus.current.directory.appending("export")
        let first = try await BrokerProcess.start()
        try await fill()
        let old = try #require(try await counts("日本 / bytes").last)
        _ = try await Tools.client(["board", "export", folder]).succeeded()
        try await first.kill9()
        var settings = BrokerProcess.Settings()
        settings.store = try PrivateBus.current.directory.appending("second")
        let second = try await BrokerProcess.start(settings)
        _ = try await Tools.client(["board", "import", folder]).succeeded()
        try await expectFilled(above: old)
        withExtendedLifetime(second) {}
    }

    @Test func existingContentIsReplacedOnlyOnRequest() async throws {
        let folder = try PrivateBus.current.directory.appending("export")
        let broker = try await BrokerProcess.start()
        try await fill()
        _ = try await Tools.client(["board", "export", folder]).succeeded()
        let refused = try await Tools.client(["board", "import", folder])
        #expect(refused.status == .exited(73) && refused.errors.contains("--replace"))
        _ = try await Tools.client(["set", "texts", "other"]).succeeded()
        let old = try #require(try await counts("texts").last)
        _ = try await Tools.client(["board", "import", "--replace", folder]).succeeded()
        try await expectFilled(above: old)
        withExtendedLifetime(broker) {}
    }

    @Test func aDamagedExportChangesNothing() async throws {
        let folder = try PrivateBus.current.directory.appending("export")
        let broker = try await BrokerProcess.start()
        try await fill()
        _ = try await Tools.client(["board", "export", folder]).succeeded()
        let before = try await Tools.client(["board", "list", "--json"]).succeeded().output
        let table = folder + "/store.jsonl"
        let text = try FileContents.text(table)
        try FileContents.write(text.replacing("general text", with: "general test"), to: table)
        let damaged = try await Tools.client(["board", "import", "--replace", folder])
        #expect(damaged.status == .exited(65) && damaged.errors.contains("nothing was imported"), "\(damaged)")
        #expect(try await Tools.client(["board", "list", "--json"]).succeeded().output == before)
        #expect(try await Tools.client(["board", "export", folder]).status == .exited(73))
        #expect(try await Tools.client(["board", "import", "/nowhere"]).status == .exited(66))
        // The control: the undamaged table is accepted.
        try FileContents.write(text, to: table)
        _ = try await Tools.client(["board", "import", "--replace", folder]).succeeded()
        withExtendedLifetime(broker) {}
    }

    @Test func anIncompleteImportReportsItsProgress() async throws {
        let folder = try PrivateBus.current.directory.appending("export")
        let first = try await BrokerProcess.start()
        for name in ["a", "b", "c"] { _ = try await Tools.client(["set", name, "text"]).succeeded() }
        _ = try await Tools.client(["board", "export", folder]).succeeded()
        try await first.kill9()
        var settings = BrokerProcess.Settings()
        settings.store = try PrivateBus.current.directory.appending("second")
        settings.arguments = ["--limit", "pasteboards=2"]
        let second = try await BrokerProcess.start(settings)
        let ended = try await Tools.client(["board", "import", folder])
        #expect(ended.status != .success && ended.errors.contains("the import stopped early, after"), "\(ended)")
        #expect(!ended.errors.contains("nothing was imported"))
        withExtendedLifetime(second) {}
    }

    /// An export fails if the disk does not accept its data.
    @Test(arguments: ["syncfs", "fsync"])
    func aDiskErrorIsReported(_ call: String) async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["copy", "text"]).succeeded()
        let folder = try PrivateBus.current.directory.appending("export")
        let trace = try PrivateBus.current.directory.appending("trace")
        let client = try Binaries.path("ipc-client")
        let failed = try await RunningProcess.run(
            "strace",
            SystemCallTrace.withoutLeakDetection
                + ["-f", "-o", trace, "-e", "inject=\(call):error=EIO", client, "board", "export", folder])
        #expect(failed.status == .exited(74) && failed.errors.contains("Input/output error"), "\(failed)")
        #expect(!FileContents.exists(folder))
        // The control: an export to another folder succeeds, because the disk accepts everything now.
        _ = try await Tools.client(["board", "export", folder + "-2"]).succeeded()
        #expect(FileContents.names(in: folder + "-2")?.contains("store.jsonl") == true)
        withExtendedLifetime(broker) {}
    }

    /// A killed export cannot report anything, so its partial files must be distinguishable from other programs' files.
    @Test func aKilledExportIsInvalidAndBlocksNoOther() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["copy", String(repeating: "long ", count: 2_000)]).succeeded()
        let folder = try PrivateBus.current.directory.appending("export")
        let trace = try PrivateBus.current.directory.appending("trace")
        let client = try Binaries.path("ipc-client")
        let killed = try await RunningProcess.run(
            "strace",
            SystemCallTrace.withoutLeakDetection
                + ["-f", "-o", trace, "-e", "inject=syncfs:signal=KILL", client, "board", "export", folder])
        #expect(killed.status != .success, "\(killed)")
        #expect(FileContents.names(in: folder)?.sorted() == ["blobs", "store.jsonl.unfinished"])
        _ = try await Tools.client(["board", "export", folder]).succeeded()
        #expect(FileContents.names(in: folder)?.sorted() == ["blobs", "store.jsonl"])
        // The control: a finished export, or another program's file, is not touched.
        #expect(try await Tools.client(["board", "export", folder]).status == .exited(73))
        let other = try PrivateBus.current.directory.makeDirectory("export-2")
        try FileContents.write("mine", to: other + "/store.jsonl.unfinished.txt")
        #expect(try await Tools.client(["board", "export", other]).status == .exited(73))
        #expect(FileContents.names(in: other) == ["store.jsonl.unfinished.txt"])
        let values = try PrivateBus.current.directory.makeDirectory("export-3/blobs")
        try FileContents.write("mine", to: values + "/picture")
        for table in [false, true] {
            if table { try FileContents.write("", to: values + "/../store.jsonl.unfinished") }
            #expect(try await Tools.client(["board", "export", values + "/.."]).status == .exited(73))
            #expect(try FileContents.text(values + "/picture") == "mine")
        }
        withExtendedLifetime(broker) {}
    }

    /// A file that reaches its size limit is like a full disk: the write fails, and the existing file is kept.
    @Test func aFailedWriteKeepsTheExistingFile() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "long"], input: .text(String(repeating: "long ", count: 2_000))).succeeded()
        let directory = try PrivateBus.current.directory
        let (old, new, folder) = (directory.appending("old"), directory.appending("new"), directory.appending("export"))
        try FileContents.write("before", to: old)
        let client = try Binaries.path("ipc-client")
        for arguments in ["get long --output \(old)", "get long --output \(new)", "board export \(folder)"] {
            let refused = try await RunningProcess.run("bash", ["-c", "ulimit -f 1; \(client) \(arguments)"])
            #expect(refused.status == .exited(74) && refused.errors.contains("File too large"), "\(refused)")
        }
        #expect(try FileContents.text(old) == "before" && !FileContents.exists(new) && !FileContents.exists(folder))
        // The control: without a size limit, the file is written.
        _ = try await Tools.client(["get", "long", "--output", old]).succeeded()
        #expect(try FileContents.read(old).count == 10_000)
        _ = try await Tools.client(["set", "long", "short"]).succeeded()
        _ = try await Tools.client(["get", "long", "--output", old]).succeeded()
        #expect(try FileContents.text(old) == "short")
        withExtendedLifetime(broker) {}
    }

    /// An export contains no secrets. Importing it does not empty a pasteboard that is not in the export.
    @Test func contentMissingFromTheExportStaysUnchanged() async throws {
        let folder = try PrivateBus.current.directory.appending("export")
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "secret", "--sensitive"], input: .text("hunter2")).succeeded()
        _ = try await Tools.client(["set", "open", "x"]).succeeded()
        let exported = try await Tools.client(["board", "export", folder]).succeeded()
        #expect(exported.errors.contains("left out sensitive or read-once content: 1 version\n"), "\(exported)")
        let imported = try await Tools.client(["board", "import", "--replace", folder]).succeeded()
        #expect(imported.errors.contains("“secret” stays as it is"), "\(imported)")
        #expect(try await Tools.client(["get", "secret"]).succeeded().output == "hunter2")
        // The control: exported content is imported.
        #expect(try await Tools.client(["get", "open"]).succeeded().output == "x")
        withExtendedLifetime(broker) {}
    }
}
