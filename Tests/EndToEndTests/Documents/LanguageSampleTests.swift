import IPCTesting
import Testing

/// The programs in other languages that the articles show.
@Suite(.privateBus)
struct LanguageSampleTests {
    /// The blocks of the article that are in Python, the sender and then the receiver, and the sender of the README.
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
        try #require(samples.count == 3)
        let paths = ["sender.py", "receiver.py", "short-sender.py"].map { bus.directory.appending($0) }
        for (path, text) in zip(paths, samples) { try FileContents.write(text, to: path) }
        // Nobody is there yet: the sample says so.
        let alone = try await RunningProcess.run("/usr/bin/python3", [paths[0]])
        #expect(alone.status != .success && alone.errors.contains("NoHandler"), "\(alone)")

        try await bus.addService(
            name: "com.example.Notes", exec: "/bin/sh -c \"exec /usr/bin/python3 -u \(paths[1]) >\(paths[1]).out\"")
        let claim = ["register", "com.example.notes", "--application", "com.example.Notes", "--persistent"]
        _ = try await Tools.client(claim).succeeded()
        let sent = try await RunningProcess.run("/usr/bin/python3", [paths[0]]).succeeded()
        #expect(sent.output == "handled\n")
        #expect(try FileContents.text("\(paths[1]).out") == "com.example.notes:add ['buy milk']\n")
        let short = try await RunningProcess.run("/usr/bin/python3", [paths[2]]).succeeded()
        #expect(short.output == "handled noted\n")
        withExtendedLifetime(broker) {}
    }
}
