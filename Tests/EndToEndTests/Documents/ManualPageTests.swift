import IPCModel
import IPCTesting
import Testing

/// The manual pages: generated from the programs' texts, and free of markup errors.
@Suite struct ManualPageTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")
    private static let folder = "\(root)/docs/man"
    private static let pages = [
        "ipc-client.1", "ipc-server.1", "ipc-bridge.1", "ipc-broker.conf.5", "ipc.7", "ipc-broker.8",
    ]

    /// The text without the date line.
    private func undated(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix(".Dd ") }
            .joined(separator: "\n")
    }

    /// The pages in the repository are those that `make manuals` generates from the programs.
    @Test func pagesMatchThePrograms() async throws {
        let made = try TemporaryDirectory("man")
        defer { made.remove() }
        _ = try await RunningProcess.run("\(Self.root)/scripts/manuals", [Binaries.directory, made.path]).succeeded()
        for page in ["ipc-client.1", "ipc-server.1", "ipc-bridge.1", "ipc-broker.conf.5", "ipc-broker.8"] {
            let there = undated(try FileContents.text("\(Self.folder)/\(page)"))
            #expect(there == undated(try FileContents.text(made.appending(page))), "\(page): run 'make manuals'")
            #expect(there.count > 1_000)
        }
    }

    @Test(arguments: pages)
    func theMarkupIsValid(page: String) async throws {
        let path = "\(Self.folder)/\(page)"
        let lint = try await RunningProcess.run("mandoc", ["-T", "lint", "-W", "warning", path])
        #expect(lint.status == .success && lint.output.isEmpty, "\(lint)")
        let directory = try TemporaryDirectory("man")
        defer { directory.remove() }
        // The control: an unterminated list is reported.
        try FileContents.write(try FileContents.text(path) + ".Bl -tag\n.It x\n", to: directory.appending(page))
        let broken = try await RunningProcess.run(
            "mandoc", ["-T", "lint", "-W", "warning", directory.appending(page)])
        #expect(broken.status != .success && !broken.output.isEmpty)
    }

    /// The page lists every limit with its default and range. Other tests compare the page's sample file with the
    /// limits.
    @Test func theConfigurationPageListsEveryLimit() throws {
        let text = try FileContents.text("\(Self.folder)/ipc-broker.conf.5")
        let items = Dictionary(
            uniqueKeysWithValues: text.split(separator: ".It Cm ").dropFirst().compactMap { item in
                item.split(separator: " ").first.map { (String($0), String(item)) }
            })
        for row in Limits.all {
            let item = try #require(items[row.name], "\(row.name)")
            #expect(item.contains("Ar \(Limits()[keyPath: row.keyPath])\n"), "\(row.name)")
            let (least, most) = (row.range.lowerBound, row.range.upperBound)
            let range = least == most ? "(\(least))" : "(\(least) to \(most))"
            #expect(item.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(range), "\(row.name)")
        }
        #expect(items["telepathy"] == nil)
    }
}
