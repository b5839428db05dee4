import IPCTesting
import Testing

/// The library's reference with its articles, as `make docs` generates it: every link has a target.
@Suite struct ReferenceTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    private func make(_ catalogue: String, in folder: TemporaryDirectory) async throws -> ProcessOutput {
        try await RunningProcess.run(
            "\(Self.root)/scripts/docs", [Binaries.directory, folder.appending("site"), catalogue],
            deadline: .seconds(120))
    }

    @Test func theReferenceBuildsWithoutWarnings() async throws {
        let folder = try TemporaryDirectory("docs")
        defer { folder.remove() }
        let output = try await make("\(Self.root)/Sources/IPC/Documentation.docc", in: folder)
        #expect(output.status == .success, "\(output)")
        // These two documents are for those who change the project, so they are not in the reference.
        let others = ["decisions.md", "invariants.md"]
        let articles = (FileContents.names(in: "\(Self.root)/docs") ?? []).filter {
            $0.hasSuffix(".md") && !others.contains($0)
        }
        #expect(articles.count > 14)
        for article in articles.map({ String($0.dropLast(3)) }) + ["application"] {
            let page = folder.appending("site/IPC.doccarchive/data/documentation/ipc/\(article).json")
            #expect(FileContents.exists(page), "\(page)")
        }
    }

    /// The control: a broken link is found.
    @Test func aBrokenLinkIsFound() async throws {
        let folder = try TemporaryDirectory("docs")
        defer { folder.remove() }
        let catalogue = try folder.makeDirectory("Wrong.docc")
        try FileContents.write("# ``IPC``\n\nSee ``Application/openSesame()``.\n", to: "\(catalogue)/IPC.md")
        let output = try await make(catalogue, in: folder)
        #expect(output.status != .success && output.errors.contains("openSesame"), "\(output)")
    }
}
