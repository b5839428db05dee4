import IPCDBus
import IPCInterface
import IPCTesting
import Testing

/// The broker's settings from `ipc-broker.conf`, the command line and the environment.
@Suite(.privateBus) struct ConfigurationTests {
    @DBusActor
    private func limits() async throws -> [String: UInt64] {
        let client = try await BrokerClient()
        return try await client.connection.call(Broker1.getLimits, on: Broker1.busName, at: Broker1.path, NoOptions())
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = try PrivateBus.current.directory.appending(name)
        try FileContents.write(text, to: path)
        return path
    }

    /// Writes the default configuration file for programs on the private bus.
    private func writeUsual(_ text: String) throws {
        _ = try PrivateBus.current.directory.makeDirectory("config/swift-ipc")
        _ = try write(text, to: "config/swift-ipc/ipc-broker.conf")
    }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> ProcessOutput {
        let bus = try PrivateBus.current
        return try await RunningProcess.run(
            Binaries.path("ipc-broker"), arguments, environment: bus.environment.merging(environment) { $1 })
    }

    @Test func `the default file is read, and the command line overrides it`() async throws {
        try writeUsual("[Limits]\nwatchers=123\nhistory=7\n")
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "history=9"]
        _ = try await BrokerProcess.start(settings)
        let limits = try await limits()
        #expect(limits["watchers"] == 123 && limits["history"] == 9)
        // The control: a limit that is not set has its default value.
        #expect(limits["pasteboards"] == 100_000)
    }

    @Test func `a named file replaces the default file`() async throws {
        try writeUsual("[Limits]\nwatchers=123\nhistory=7\n")
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--config", try write("[Limits]\nwatchers=5\n[Log]\nlevel=debug\n", to: "other.conf")]
        _ = try await BrokerProcess.start(settings)
        let limits = try await limits()
        #expect(limits["watchers"] == 5 && limits["history"] == 1)
    }

    @Test func `the store's folder comes from the command line, else the environment, else the file`() async throws {
        let bus = try PrivateBus.current
        let places = ["file", "environment", "option"].map { bus.directory.appending("store of \($0)") }
        let config = try write("[Store]\ndirectory=\(places[0])\n", to: "store.conf")
        let arguments = [["--config", config], ["--config", config], ["--config", config, "--store", places[2]]]
        let environments = [[:], ["SWIFT_IPC_STORE": places[1]], ["SWIFT_IPC_STORE": places[1]]]
        for (place, (arguments, environment)) in zip(places, zip(arguments, environments)) {
            #expect(!FileContents.exists(place))
            let process = try await RunningProcess.start(
                Binaries.path("ipc-broker"), arguments, environment: bus.environment.merging(environment) { $1 })
            try await process.errors.waitForLine(containing: "ready")
            #expect(FileContents.exists(place))
            await process.end()
        }
    }

    @Test(arguments: [
        ("[Limits]\nwatchers=many\n", ":2: ", "whole number"), ("[Limits]\nwatcher=1\n", ":2: ", "there is no limit"),
        ("[Limit]\nwatchers=1\n", ":1: ", "the groups are"), ("[Limits]\nwatchers=1\nwatchers=2\n", ":3: ", "twice"),
        ("[Log]\nlevel=loud\n", ":2: ", "write one of"), ("watchers=1\n", ":1: ", "before the first group"),
    ])
    func `after a mistake in the file, the broker exits, and the error says where it is and what to do`(
        text: String, place: String, part: String
    ) async throws {
        let path = try write(text, to: "wrong.conf")
        let output = try await run(["--config", path])
        #expect(output.status == .exited(65))
        #expect(output.errors.contains(path + place) && output.errors.contains(part), "\(output)")
        // The same file is also rejected in the default place.
        try writeUsual(text)
        #expect(try await run([]).status == .exited(65))
    }

    @Test func `a named file that does not exist exits with 66`() async throws {
        let output = try await run(["--config", "/nowhere/ipc-broker.conf"])
        #expect(output.status == .exited(66))
        #expect(output.errors.contains("/nowhere/ipc-broker.conf"))
    }
}
