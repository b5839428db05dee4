import IPCModel
import IPCTesting
import Testing

/// The checks of `make build`, with programs and link maps that the tests write.
@Suite struct ReleaseProgramTests {
    /// What the linker's maps of all release programs name, apart from Swift's own libraries.
    private static let system = [
        "libdbus-1.a", "libxxhash.a", "libsqlite3.a", "libjemalloc.a", "libc-quiet.a", "libc_nonshared.a",
        "libm-2.36.a", "libgcc.a", "libgcc_eh.a", "libstdc++.a",
    ]
    private static let swift = [
        "libswiftCore.a", "libFoundationEssentials.a", "lib_FoundationCShims.a", "libdispatch.a", "libBlocksRuntime.a",
    ]

    /// Runs the check of NOTICE, with a program that contains these libraries.
    private static func notices(_ libraries: [String]) async throws -> ProcessOutput {
        let maps = try TemporaryDirectory("maps")
        defer { maps.remove() }
        let members = libraries.map { "/lib/\($0)(member.o)\n    program.o (symbol)\n" }.joined()
        try FileContents.write("\(members)\nMemory map\n\n/lib/libafter.a(x.o)\n", to: maps.appending("program.map"))
        return try await RunningProcess.run("\(ProjectFiles.root)/scripts/notices", ["check", maps.path])
    }

    /// Runs the check of sizes with programs of which one has this size, in bytes.
    private static func sizes(_ program: String, of size: String) async throws -> ProcessOutput {
        let programs = try TemporaryDirectory("sizes")
        defer { programs.remove() }
        for name in ["ipc-broker", "ipc-client", "ipc-server", "ipc-bridge", "ipc-desktop-open"] {
            _ = try await RunningProcess.run("truncate", ["--size=6500000", programs.appending(name)]).succeeded()
        }
        _ = try await RunningProcess.run("truncate", ["--size=\(size)", programs.appending(program)]).succeeded()
        return try await RunningProcess.run("\(ProjectFiles.root)/scripts/sizes", [programs.path])
    }

    @Test func `NOTICE names exactly the libraries and packages that the programs contain`() async throws {
        _ = try await Self.notices(Self.system + Self.swift).succeeded()
    }

    @Test func `a library that NOTICE does not name is found`() async throws {
        let output = try await Self.notices(Self.system + Self.swift + ["libnew.a"])
        #expect(output.status == .exited(70))
        #expect(output.errors == "NOTICE does not name libnew.a, which the programs contain.\n")
    }

    @Test func `a library that the programs no longer contain is found`() async throws {
        let output = try await Self.notices(Self.system.filter { $0 != "libjemalloc.a" } + Self.swift)
        #expect(output.status == .exited(70))
        #expect(output.errors == "NOTICE names libjemalloc.a, which the programs do not contain.\n")
    }

    @Test(arguments: ["debian/changelog", "docs/org.swiftipc.ipc.metainfo.xml"])
    func `the newest version in a file is that of the programs`(file: String) throws {
        let text = try FileContents.text("\(ProjectFiles.root)/\(file)")
        let version = try #require(text.firstMatch(of: #/(?:swift-ipc \(|<release version=")([0-9.]+)/#))
        #expect(version.1 == ProductVersion.text)
    }

    /// Links a program as the release programs are linked.
    private static func link(_ program: String, _ options: [String]) async throws {
        let source = "\(program).c"
        try FileContents.write("#include <stdio.h>\nint main(void) { return puts(\"it runs\") < 0; }\n", to: source)
        let words = ["-static", "-no-pie", "-fuse-ld=gold", "-o", program, source] + options
        _ = try await RunningProcess.run("clang", words).succeeded()
    }

    @Test func `a program without its tables for unwinding is smaller, runs and keeps its protection`() async throws {
        let directory = try TemporaryDirectory("shrink")
        let program = directory.appending("program")
        try await Self.link(program, ["-Wl,--no-eh-frame-hdr"])
        func size() throws -> Int { try FileContents.read(program).count }
        func headers() async throws -> String {
            try await RunningProcess.run("readelf", ["--wide", "--segments", "--sections", program]).succeeded().output
        }
        let (before, headersBefore) = (try size(), try await headers())
        _ = try await RunningProcess.run("\(ProjectFiles.root)/scripts/shrink", [program]).succeeded()
        #expect(try size() < before)
        #expect(try await RunningProcess.run(program).succeeded().output == "it runs\n")
        let after = try await headers()
        #expect(headersBefore.contains("GNU_RELRO") && after.contains("GNU_RELRO"))
        #expect(after.contains(#/\.eh_frame +\w+ +\w+ \w+ 000000 /#))
        #expect(!headersBefore.contains(#/\.eh_frame +\w+ +\w+ \w+ 000000 /#))
        // A second run finds nothing to remove.
        let shrunk = try size()
        _ = try await RunningProcess.run("\(ProjectFiles.root)/scripts/shrink", [program]).succeeded()
        #expect(try size() == shrunk)
    }

    /// The control: a program with an index of the tables has another layout, and stays as it is.
    @Test func `a program with another layout is rejected`() async throws {
        let directory = try TemporaryDirectory("shrink")
        let program = directory.appending("program")
        try await Self.link(program, ["-Wl,--eh-frame-hdr"])
        let before = try FileContents.read(program)
        let output = try await RunningProcess.run("\(ProjectFiles.root)/scripts/shrink", [program])
        #expect(output.status == .exited(1) && output.errors.contains("not the end of the first segment"), "\(output)")
        #expect(try FileContents.read(program) == before)
    }

    @Test func `a program that has grown too large is found`() async throws {
        _ = try await Self.sizes("ipc-client", of: "19000000").succeeded()
        let output = try await Self.sizes("ipc-client", of: "19000001")
        #expect(output.status == .exited(70))
        #expect(output.errors.hasPrefix("ipc-client has 19000001 bytes, and may have 19000000.\n"))
    }
}
