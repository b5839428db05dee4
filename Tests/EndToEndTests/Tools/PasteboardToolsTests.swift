import IPCTesting
import Testing

/// `copy`, `paste` and related commands against the real broker.
@Suite(.privateBus)
struct PasteboardToolsTests {
    @Test(arguments: [
        [UInt8](), [10], [0, 255, 10, 128], Array("text\n".utf8), [UInt8](repeating: 200, count: 65_536),
    ])
    func bytesAreReturnedUnchanged(_ bytes: [UInt8]) async throws {
        let broker = try await BrokerProcess.start()
        let copied = try await Tools.client(["copy"], input: .bytes(bytes))
        #expect(copied.status == .success && copied.outputBytes.isEmpty, "\(copied)")
        #expect(copied.errors.contains("input is empty") == bytes.isEmpty && copied.errorBytes.isEmpty != bytes.isEmpty)
        #expect(try await Tools.client(["paste"]).outputBytes == bytes)
        #expect(try await Tools.client(["get", "general"]).outputBytes == bytes)
        let file = try PrivateBus.current.directory.appending("out")
        #expect(try await Tools.client(["paste", "--output", file]).outputBytes.isEmpty)
        #expect(try FileContents.read(file) == bytes)
        withExtendedLifetime(broker) {}
    }

    @Test func oneItemHasSeveralTypes() async throws {
        let broker = try await BrokerProcess.start()
        let directory = try PrivateBus.current.directory
        let (page, text) = (directory.appending("page.html"), directory.appending("page.txt"))
        try FileContents.write("<b>both</b>", to: page)
        try FileContents.write("both", to: text)
        let copied = try await Tools.client(["copy", "--type", "text/html=\(page)", "--type", "text/plain=\(text)"])
        #expect(copied.status == .success, "\(copied)")
        #expect(try await Tools.client(["paste", "--list-types"]).output == "text/html\ntext/plain\n")
        #expect(try await Tools.client(["paste", "--type", "public.html"]).output == "<b>both</b>")
        #expect(try await Tools.client(["paste", "--type", "text/plain", "--take"]).output == "both")
        #expect(try await Tools.client(["paste", "--list-types"]).output.isEmpty)
        let missing = try await Tools.client(["paste", "--type", "text/html"])
        #expect(missing.status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    @Test func aFailedWriteCreatesNoPasteboard() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "value-bytes=10"]
        let broker = try await BrokerProcess.start(settings)
        let ghost = try await Tools.client(["set", "ghost", "eleven bytes"])
        #expect(ghost.status == .exited(65) && ghost.errors.contains("12 B exceeds the limit of 10 B"), "\(ghost)")
        #expect(try await Tools.client(["board", "list"]).lines.count == 1)
        // The control: content that can be written creates its pasteboard.
        #expect(try await Tools.client(["set", "ghost", "ten bytes"]).status == .success)
        #expect(try await Tools.client(["board", "list"]).lines.count == 2)
        withExtendedLifetime(broker) {}
    }

    @Test(arguments: [["text/plain": true, "public.plain-text": true, "text/plain;charset=utf-16": false]])
    func aTypeWithoutParametersMatchesAnyParameters(_ types: [String: Bool]) async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["copy", "hello"]).succeeded()
        for (type, isThere) in types {
            let pasted = try await Tools.client(["paste", "--type", type])
            #expect(
                pasted.status == (isThere ? .success : .exited(66)) && (pasted.output == "hello") == isThere, "\(type)")
        }
        withExtendedLifetime(broker) {}
    }

    /// `--take` removes the content, so the command first checks whether it can write the content.
    @Test(arguments: [["--type", "image/png"], ["--item", "1"], ["--type", "a b c"]])
    func contentThatCannotBePrintedIsNotTaken(_ arguments: [String]) async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "board", "prize"]).succeeded()
        let refused = try await Tools.client(["get", "board", "--take"] + arguments)
        #expect(refused.status == .exited(arguments.contains("a b c") ? 65 : 66), "\(refused)")
        // The control: content that can be shown is taken, by one reader.
        #expect(try await Tools.client(["get", "board", "--take"]).output == "prize")
        #expect(try await Tools.client(["get", "board", "--take"]).output.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func aDuplicateTypeIsInvalidInput() async throws {
        let broker = try await BrokerProcess.start()
        let file = try PrivateBus.current.directory.appending("file")
        try FileContents.write("x", to: file)
        let twice = try await Tools.client(["copy", "--type", "text/html=\(file)", "--type", "text/html=\(file)"])
        #expect(twice.status == .exited(65), "\(twice)")
        withExtendedLifetime(broker) {}
    }

    @Test func aFailedConditionWritesNothing() async throws {
        let broker = try await BrokerProcess.start()
        let first = try await Tools.client(["set", "board", "--json", "one"])
        let count = try JSONText.string("change-count", in: first.output)
        let second = try await Tools.client(["set", "board", "--if-change-count", count, "two"])
        #expect(second.status == .success, "\(second)")
        let late = try await Tools.client(["set", "board", "--if-change-count", count, "three", "--json"])
        #expect(late.status == .exited(75))
        #expect(try JSONText.string("error", in: late.errors) == "ChangeCountMismatch")
        #expect(try await Tools.client(["get", "board"]).output == "two")
        #expect(try await Tools.client(["get", "board", "--change-count", count]).output == "one")
        #expect(try await Tools.client(["get", "board", "--change-count", "1"]).status == .exited(66))
        #expect(try await Tools.client(["set", "none", "--if-change-count", "1", "x"]).status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    @Test func aTakeHappensOnceAndOnlyIfItsOutputCanBeWritten() async throws {
        let broker = try await BrokerProcess.start()
        _ = try await Tools.client(["set", "jobs", "work"]).succeeded()
        // Content that cannot be written is not taken.
        #expect(try await Tools.client(["get", "jobs", "--take", "--output", "/nowhere/x"]).status == .exited(73))
        let directory = try PrivateBus.current.directory
        #expect(
            try await Tools.client(["get", "nothing", "--output", directory.appending("new")]).status == .exited(66))
        #expect(!FileContents.exists(directory.appending("new")))
        #expect(try await Tools.client(["get", "jobs", "--take"]).output == "work")
        #expect(try await Tools.client(["get", "jobs", "--take"]).outputBytes.isEmpty)
        withExtendedLifetime(broker) {}
    }

    @Test func mistakesHaveTheirExitCodes() async throws {
        let broker = try await BrokerProcess.start()
        #expect(try await Tools.client(["copy", "--file", "/nowhere"]).status == .exited(66))
        #expect(try await Tools.client(["copy", "--type", "no type", "x"]).status == .exited(65))
        #expect(try await Tools.client(["copy", "--expire", "soon", "x"]).status == .exited(64))
        #expect(try await Tools.client(["paste", "--item", "3"]).status == .exited(66))
        #expect(try await Tools.client(["paste", "--board", "none"]).status == .exited(66))
        #expect(try await Tools.client(["board", "prune"]).status == .exited(64))
        #expect(try await Tools.client(["board", "show", "none", "--json"]).status == .exited(66))
        withExtendedLifetime(broker) {}
    }

    /// A secret in an argument causes a warning, because any process can list the arguments of another one.
    @Test func aSecretInAnArgumentIsReportedAndOneInAPipeIsNot() async throws {
        let broker = try await BrokerProcess.start()
        let seen = try await Tools.client(["copy", "--sensitive", "hunter2"])
        #expect(seen.errors.contains("arguments") && !seen.errors.contains("hunter2"))
        let hidden = try await Tools.client(["copy", "--sensitive"], input: .text("hunter2"))
        #expect(hidden.status == .success && hidden.errors.isEmpty, "\(hidden)")
        withExtendedLifetime(broker) {}
    }

    /// Unlike wl-clipboard and xclip, `copy` and `paste` leave no child that keeps the pipe open.
    @Test func noChildKeepsThePipe() async throws {
        let broker = try await BrokerProcess.start()
        let client = try Binaries.path("ipc-client")
        let output = try await RunningProcess.run("sh", ["-c", "echo x | \(client) copy | cat; echo end"]).succeeded()
            .output
        #expect(output == "end\n")
        let read = try await RunningProcess.run("sh", ["-c", "\(client) paste | head -c 1"]).succeeded().output
        #expect(read == "x")
        withExtendedLifetime(broker) {}
    }

    @Test func boardsAreShownWithoutTheirContent() async throws {
        let broker = try await BrokerProcess.start()
        for text in ["one", "two\nlines"] { _ = try await Tools.client(["set", "board", text]).succeeded() }
        let shown = try await Tools.client(["board", "show", "board"]).succeeded().output
        #expect(shown.contains("1 earlier version") && shown.contains("9 B") && !shown.contains("lines"))
        #expect(
            try await Tools.client(["board", "show", "board", "--preview"]).succeeded().output.contains("two\\nlines"))
        let history = try await Tools.client(["board", "history", "board", "--keep", "0"]).succeeded().output.split(
            separator: "\n")
        #expect(history.count == 1 && history[0].contains("text/plain"))
        #expect(try await Tools.client(["broker", "status"]).succeeded().output.contains("pasteboards"))
        withExtendedLifetime(broker) {}
    }

    @Test func pruneRemovesPasteboardsThatMeetAllCriteria() async throws {
        let broker = try await BrokerProcess.start()
        for name in ["a.full", "a.empty", "b.empty"] { _ = try await Tools.client(["set", name, "x"]).succeeded() }
        for name in ["a.empty", "b.empty"] { _ = try await Tools.client(["board", "clear", name]).succeeded() }
        _ = try await Tools.client(["copy", "kept"]).succeeded()
        let arguments = ["board", "prune", "--empty", "--prefix", "a."]
        #expect(try await Tools.client(arguments + ["--dry-run"]).succeeded().output == "would-remove\ta.empty\n")
        #expect(try await Tools.client(arguments).succeeded().output == "removed\ta.empty\n")
        #expect(try await Tools.client(arguments).succeeded().output.isEmpty)
        #expect(try await names() == ["a.full", "b.empty", "general"])
        let bare = try await Tools.client(["board", "prune", "--older-than", "1"])
        #expect(bare.status == .exited(64) && bare.errors.contains("30d"), "\(bare)")
        #expect(try await Tools.client(["board", "prune", "--older-than", "1h"]).succeeded().output.isEmpty)
        #expect(try await Tools.client(["board", "prune", "--prefix", "g"]).succeeded().output.isEmpty)
        #expect(try await Tools.client(["paste"]).output == "kept")
        let all = try await Tools.client(["board", "prune", "--older-than", "1ms"]).succeeded().output
        #expect(all == "removed\ta.full\nremoved\tb.empty\ncleared\tgeneral\n")
        #expect(try await names() == ["general"])
        withExtendedLifetime(broker) {}
    }

    @Test func pruneReleasesHistory() async throws {
        let broker = try await BrokerProcess.start()
        for text in ["one", "two"] { _ = try await Tools.client(["set", "board", text]).succeeded() }
        #expect(try await Tools.client(["board", "history", "board"]).lines.count == 2)
        #expect(
            try await Tools.client(["board", "prune", "--history", "--prefix", "board"]).succeeded().output
                == "let-go\tboard\n")
        #expect(try await Tools.client(["board", "history", "board"]).lines.count == 1)
        _ = try await Tools.client(["set", "board", "three"]).succeeded()
        // Pruning the history did not change the history's limit.
        #expect(try await Tools.client(["board", "history", "board"]).lines.count == 2)
        withExtendedLifetime(broker) {}
    }

    private func names() async throws -> [String] {
        try await Tools.client(["board", "list"]).lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
    }
}
