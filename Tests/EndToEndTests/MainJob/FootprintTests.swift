import IPCTesting
import Testing

/// What the tools load.
@Suite(.privateBus)
struct FootprintTests {
    @Test(arguments: ["ipc-client", "ipc-server"])
    func aToolLoadsNeitherFoundationNorICU(_ tool: String) async throws {
        let broker = try await BrokerProcess.start()
        let receiver = try await RunningProcess.start(
            try Binaries.path(tool), tool == "ipc-client" ? ["listen"] : [], input: .none)
        try await receiver.errors.waitForLine { $0.hasPrefix("listening") }
        let files = try receiver.statistics.mappedFiles
        // Without this line an empty list would pass.
        #expect(files.contains { $0.contains("libc.so") })
        #expect(!files.contains { $0.contains("libFoundation.so") })
        #expect(!files.contains { $0.lowercased().contains("icu") })
        withExtendedLifetime(broker) {}
    }

    /// The control: the broker, which may load Foundation, does.
    @Test func theBrokerLoadsFoundation() async throws {
        let broker = try await BrokerProcess.start()
        #expect(try ProcessStatus(pid: broker.pid).mappedFiles.contains { $0.contains("libFoundation.so") })
    }
}
