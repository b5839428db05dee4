import IPCTesting
import Testing

/// The checks of `make build`, with programs that the tests write.
@Suite struct ReleaseProgramTests {
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

    @Test func `a program that has grown too large is found`() async throws {
        _ = try await Self.sizes("ipc-client", of: "22000000").succeeded()
        let output = try await Self.sizes("ipc-client", of: "22000001")
        #expect(output.status == .exited(70))
        #expect(output.errors.hasPrefix("ipc-client has 22000001 bytes, and may have 22000000.\n"))
    }
}
