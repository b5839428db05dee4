import Glibc
import IPCTesting
import Testing

/// The libraries that the programs load.
@Suite(.privateBus)
struct FootprintTests {
    @Test(arguments: ["ipc-client", "ipc-server"])
    func aToolLoadsNeitherFoundationNorICU(_ tool: String) async throws {
        let broker = try await BrokerProcess.start()
        let handler = try await RunningProcess.start(
            try Binaries.path(tool), tool == "ipc-client" ? ["listen"] : [], input: .none)
        try await handler.errors.waitForLine { $0.hasPrefix("listening") }
        let files = try handler.statistics.mappedFiles
        // Every program loads libc, so a list without it was not read correctly.
        #expect(files.contains { $0.contains("libc.so") })
        #expect(Self.foundation(in: files) == [])
        withExtendedLifetime(broker) {}
    }

    @Test func theBrokerLoadsNeitherFoundationNorICU() async throws {
        let broker = try await BrokerProcess.start()
        let files = try ProcessStatus(pid: broker.pid).mappedFiles
        #expect(files.contains { $0.contains("libc.so") })
        #expect(Self.foundation(in: files) == [])
    }

    /// The control: the test program loads Foundation and ICU.
    @Test func theTestsLoadFoundation() throws {
        let found = Self.foundation(in: try ProcessStatus(pid: getpid()).mappedFiles)
        #expect(found.contains { $0.contains("libFoundation.so") } && found.contains { $0.contains("ICU") })
    }

    private static func foundation(in files: Set<String>) -> [String] {
        files.filter { $0.contains("libFoundation.so") || $0.lowercased().contains("icu") }
    }
}
