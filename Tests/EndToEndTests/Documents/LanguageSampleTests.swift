import IPCTesting
import Testing

/// The programs in other languages that the articles show.
@Suite(.privateBus)
struct LanguageSampleTests {
    /// The blocks in Python of the page (the handler, the sender, the pasteboard), and the sender of the README.
    private func samples() throws -> [String] {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let documents = ["docs/other-languages.md", "README.md"]
        return try documents.flatMap { try pythonBlocks(in: FileContents.text("\(root)/\($0)")) }
    }

    private func pythonBlocks(in text: String) -> [String] {
        text.split(separator: "```python\n").dropFirst().map { String($0.split(separator: "```")[0]) }
    }

    @Test func theSenderReachesTheReceiver() async throws {
        let broker = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        let samples = try samples()
        try #require(samples.count == 4)
        let paths = ["handler.py", "sender.py", "pasteboard.py", "short-sender.py"].map { bus.directory.appending($0) }
        for (path, text) in zip(paths, samples) { try FileContents.write(text, to: path) }
        // Nobody is there yet: the sample says so.
        let alone = try await RunningProcess.run("/usr/bin/python3", [paths[1]])
        #expect(alone.status != .success && alone.errors.contains("NoHandler"), "\(alone)")
        let told = try await RunningProcess.run("/usr/bin/python3", [paths[3]])
        #expect(told.status == .exited(1) && told.errors.contains("handles the scheme"), "\(told)")
        #expect(!told.errors.contains("Traceback"))

        try await bus.addService(
            name: "com.example.Notes", exec: "/bin/sh -c \"exec /usr/bin/python3 -u \(paths[0]) >\(paths[0]).out\"")
        let claim = ["scheme", "register", "com.example.notes", "--application", "com.example.Notes", "--persistent"]
        _ = try await Tools.client(claim).succeeded()
        let sent = try await RunningProcess.run("/usr/bin/python3", [paths[1]]).succeeded()
        #expect(sent.output == "handled\n")
        #expect(try FileContents.text("\(paths[0]).out") == "com.example.notes:add ['buy milk']\n")
        let short = try await RunningProcess.run("/usr/bin/python3", [paths[3]]).succeeded()
        #expect(short.output == "handled noted\n")
        let board = try await RunningProcess.run("/usr/bin/python3", [paths[2]]).succeeded()
        #expect(board.output == "buy milk\n")
        withExtendedLifetime(broker) {}
    }
}
