import IPCTesting
import Testing

/// What a package that depends on this one must fetch and install.
@Suite struct PackageTraitTests {
    /// The complete `Package.swift` in docs/swift.md.
    private static func documentedManifest() throws -> String {
        let blocks = try FileContents.text("\(ProjectFiles.root)/docs/swift.md").split(separator: "```swift\n")
        let block = try #require(blocks.first { $0.hasPrefix("// swift-tools-version") })
        return String(try #require(block.split(separator: "```").first))
    }

    /// Settings that make git read the packages that this build has fetched, so that the test needs no network.
    private static func fetchedPackages() async throws -> [String: String] {
        let folder = "\(ProjectFiles.root)/.build/repositories"
        var environment: [String: String] = [:]
        for (number, name) in (FileContents.names(in: folder) ?? []).enumerated() {
            let copy = "\(folder)/\(name)"
            let origin = try await RunningProcess.run("git", ["-C", copy, "config", "remote.origin.url"]).succeeded()
            environment["GIT_CONFIG_KEY_\(number)"] = "url.\(copy).insteadOf"
            environment["GIT_CONFIG_VALUE_\(number)"] = origin.lines.first ?? ""
            environment["GIT_CONFIG_COUNT"] = "\(number + 1)"
        }
        return environment
    }

    /// The packages that SwiftPM fetches for a package with this manifest and a clone of this repository beside it.
    private static func fetched(_ manifest: String) async throws -> [String] {
        let directory = try TemporaryDirectory("traits")
        defer { directory.remove() }
        try directory.makeDirectory("notes/Sources/notes")
        try FileContents.write("import IPC\n", to: directory.appending("notes/Sources/notes/main.swift"))
        try FileContents.write(manifest, to: directory.appending("notes/Package.swift"))
        _ = try await RunningProcess.run("ln", ["-s", ProjectFiles.root, directory.appending("swift-ipc")]).succeeded()
        var words = ["PATH", "HOME"].map { "\($0)=\(environmentVariable($0) ?? "")" }
        words += try await fetchedPackages().map { "\($0.key)=\($0.value)" }
        words += ["swift", "package", "--package-path", directory.appending("notes"), "--disable-dependency-cache"]
        _ = try await RunningProcess.run("env", words + ["resolve"], deadline: .seconds(120)).succeeded()
        return (FileContents.names(in: directory.appending("notes/.build/checkouts")) ?? []).sorted()
    }

    @Test func `a package that uses only the library fetches only swift-log`() async throws {
        let manifest = try Self.documentedManifest()
        #expect(try await Self.fetched(manifest) == ["swift-log"])
        // The control: with the trait "Programs", SwiftPM fetches the packages of the programs too.
        let programs = manifest.replacing(", traits: []", with: "")
        #expect(
            try await Self.fetched(programs) == [
                "swift-argument-parser", "swift-log", "swift-subprocess", "swift-system",
            ])
    }

    /// A system library, the header that proves that it is installed, and its Debian package.
    struct SystemLibrary: Sendable, CustomTestStringConvertible {
        var file: String
        var pkgConfig: String
        var package: String
        var testDescription: String { file }
    }

    /// The system libraries in Package.swift, and jemalloc, which has no module of its own.
    static func systemLibraries() throws -> [SystemLibrary] {
        let manifest = try FileContents.text("\(ProjectFiles.root)/Package.swift")
        let row = #/systemLibrary\(name: "(\w+)", pkgConfig: "([^"]+)", providers: \[\.apt\(\["([^"]+)"\]\)\]\)/#
        return manifest.matches(of: row).map {
            SystemLibrary(file: "\($0.1)/shim.h", pkgConfig: String($0.2), package: String($0.3))
        } + [SystemLibrary(file: "CJemalloc/CJemalloc.c", pkgConfig: "jemalloc", package: "libjemalloc-dev")]
    }

    @Test func `a missing header of a system library names its Debian package`() async throws {
        let libraries = try Self.systemLibraries()
        #expect(libraries.count == 6)
        for library in libraries {
            let file = "\(ProjectFiles.root)/Sources/\(library.file)"
            let words = ["-fsyntax-only", "-x", "c", "-I", "\(ProjectFiles.root)/Sources/CJemalloc/include", file]
            let missing = try await RunningProcess.run("clang", ["-nostdinc"] + words)
            let message = missing.errors.split(separator: "\n").first { $0.contains("error: ") } ?? ""
            #expect(message.contains("swift-ipc needs "), "\(missing)")
            #expect(message.contains("sudo apt install \(library.package)"), "\(missing)")
            // The control: with the header, there is no error.
            let flags = try await RunningProcess.run("pkg-config", ["--cflags", library.pkgConfig]).succeeded().output
                .split(whereSeparator: \.isWhitespace).map(String.init)
            let found = try await RunningProcess.run("clang", flags + words)
            #expect(found.status == .success, "\(found)")
        }
    }
}
