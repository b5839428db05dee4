import IPCTesting
import Testing

/// `docs/api`, the lists of the public API that `make api` generates.
@Suite struct APIDigestTests {
    private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        .joined(separator: "/")

    @Test func `the public API is that of docs api`() async throws {
        let folder = try TemporaryDirectory("api")
        defer { folder.remove() }
        _ = try await RunningProcess.run(
            "\(Self.root)/scripts/api", [Binaries.directory, folder.path], deadline: .seconds(120)
        ).succeeded()
        for product in ["IPC", "IPCFoundation", "IPCDBus", "IPCTestKit"] {
            let kept = try Self.lines("\(Self.root)/docs/api/\(product).txt")
            let found = try Self.lines(folder.appending("\(product).txt"))
            #expect(
                kept.subtracting(found).sorted() == [],
                "\(product) no longer has these: does the version permit that (CONTRIBUTING.md)? Then run 'make api'.")
            #expect(found.subtracting(kept).sorted() == [], "\(product) has these now: run 'make api'.")
        }
    }

    /// The control: a list shows members with their types and effects, conformances, and members in extensions of other
    /// modules, but nothing that is not public.
    @Test func `a list has the declarations that a program can use`() throws {
        let library = try Self.lines("\(Self.root)/docs/api/IPC.txt")
        #expect(
            library.isSuperset(of: [
                "Application.canOpenURL(_:): @DBusActor func canOpenURL(_ url: String) async throws(IPCError) -> Bool",
                "Application: Swift.Sendable", "ApplicationID.text: let text: String",
            ]))
        #expect(!library.contains { $0.contains("PercentEncoding") })
        #expect(
            try Self.lines("\(Self.root)/docs/api/IPCFoundation.txt").contains(
                "Date.init(_:): init(_ timestamp: Timestamp)"))
    }

    private static func lines(_ path: String) throws -> Set<Substring> {
        Set(try FileContents.text(path).split(separator: "\n"))
    }
}
