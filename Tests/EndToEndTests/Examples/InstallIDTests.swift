import IPCTesting
import Testing

/// The id of an installation, without a keyring.
@Suite(.privateBus)
struct InstallIDTests {
    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> ProcessOutput {
        try await InstallIDScene.run(arguments, environment)
    }

    private func id(_ environment: [String: String] = [:]) async throws -> String {
        try await InstallIDScene.id(environment)
    }

    @Test func `without a keyring, the id is in its own file, and it is the same at every start`() async throws {
        let path = try PrivateBus.current.directory.appending("home/.local/state/install-id/com.example.InstallID")
        #expect(try await run("where").status == .exited(66))
        let first = try await id()
        #expect(first.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        #expect(try FileContents.text(path) == "\(first)\n")
        #expect(try await RunningProcess.run("stat", ["-c", "%a", path]).output == "600\n")
        #expect(try await id() == first)
        #expect(try await run("where").output == "\(path)\n")
        // The control: another application and another home directory have different ids.
        #expect(try await run("--application", "com.example.Other").output != "\(first)\n")
        let elsewhere = ["XDG_STATE_HOME": try PrivateBus.current.directory.appending("elsewhere")]
        #expect(try await id(elsewhere) != first)
        #expect(try await run("where", environment: elsewhere).output.contains("/elsewhere/install-id/"))
        #expect(try await id() == first)
    }

    @Test func `after an id is removed, the next start creates another one`() async throws {
        let first = try await id()
        #expect(try await run("remove").output == "removed\n")
        #expect(try await run("where").status == .exited(66))
        #expect(try await run("remove").output == "there was none\n")
        #expect(try await id() != first)
    }

    @Test func `processes that start at the same time get the same id`() async throws {
        #expect(try await InstallIDScene.idsOfRace().count == 1)
        // The control: with separate directories, each process gets its own id.
        let apart = try await InstallIDScene.idsOfRace {
            ["XDG_STATE_HOME": "\(try PrivateBus.current.directory.path)/\($0)"]
        }
        #expect(apart.count == InstallIDScene.racers)
    }

    @Test func `a file without an id is reported and left unchanged`() async throws {
        _ = try await id()
        let path = String(try await run("where").output.dropLast())
        try FileContents.write("half an i", to: path)
        let told = try await run()
        #expect(told.status == .exited(65) && told.output.isEmpty && told.errors.contains(path), "\(told)")
        #expect(try FileContents.text(path) == "half an i")
        let nowhere = try await run(environment: ["HOME": "", "XDG_STATE_HOME": "relative"])
        #expect(nowhere.status == .exited(78) && nowhere.errors.contains("HOME"), "\(nowhere)")
        let readOnly = try await run(environment: ["XDG_STATE_HOME": "/proc/self"])
        #expect(readOnly.status == .exited(74) && readOnly.output.isEmpty, "\(readOnly)")
    }

    @Test func `without a bus, the id is in a file too`() async throws {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
        let first = try await id(environment)
        #expect(try await id() == first)
    }

    @Test func `other programs get the id by URL`() async throws {
        _ = try await BrokerProcess.start()
        let service = try await RunningProcess.start(
            try Binaries.example("install-id"), ["serve"], environment: try ExamplePlace.environment, input: .none)
        try await service.errors.waitForLine(containing: "listening as com.example.InstallID for installid")
        let asked = try await Tools.client(["call", "InstallID:"])
        #expect(asked.status == .success, "\(asked)")
        #expect(try await id() == asked.output)
        #expect(try await Tools.client(["call", "installid:other"]).status == .exited(1), "declined")
        #expect(try await Tools.client(["call", "installid:"]).output == asked.output)
        #expect(try await service.terminate() == .success)
        #expect(try await Tools.client(["call", "installid:"]).status == .exited(68))
    }
}
