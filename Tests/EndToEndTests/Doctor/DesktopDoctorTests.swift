import IPCTesting
import Testing

/// Broken desktop entries, caches and defaults, found and fixed.
@Suite(.privateBus)
struct DesktopDoctorTests {
    private func write(_ entry: String, on scene: DoctorScene, as path: String? = nil) async throws {
        try FileContents.write(entry, to: path ?? scene.entryPath)
        try await scene.run("update-desktop-database \(scene.applications)")
    }

    @Test func `an entry whose program is missing`() async throws {
        let scene = try await DoctorScene.healthy()
        try await write(try DoctorScene.entry(exec: "/nowhere/ipc-client open %u"), on: scene)
        let after = try await scene.expectMended(
            "desktop-entry-program-missing", "problem", saying: "/nowhere/ipc-client")
        #expect(after.words == [])
        #expect(try FileContents.text(scene.entryPath).contains("Exec=\(try DoctorScene.opener()) open --notify %u\n"))
    }

    @Test func `a cache that lacks an entry`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.run("rm \(scene.applications)/mimeinfo.cache")
        let after = try await scene.expectMended("desktop-cache-stale", "problem", saying: "does not list")
        #expect(after.words == [])
    }

    @Test func `a registration whose entry was removed`() async throws {
        let scene = try await DoctorScene.healthy()
        let entry = try FileContents.text(scene.entryPath)
        try await scene.run("rm \(scene.entryPath)")
        let after = try await scene.expectMended("registration-without-entry", "problem", saying: DoctorScene.scheme)
        #expect(after.words == [])
        #expect(try FileContents.text(scene.entryPath) == entry)
    }

    @Test(
        arguments: [
            ("rm \"$XDG_DATA_HOME\"/applications/org.swiftipc.handle.notes.desktop", "registration-without-entry"),
            ("rm \"$XDG_DATA_HOME\"/dbus-1/services/org.swiftipc.handle.notes.service", "claim-unstartable"),
            (
                "sed -i 's,^Exec=[^ ]*,Exec=/nowhere/ipc-server,' "
                    + "\"$XDG_DATA_HOME\"/dbus-1/services/org.swiftipc.handle.notes.service", "service-program-missing"
            ),
            ("ipc-client scheme unregister notes --application org.swiftipc.handle.notes", nil),
        ] as [(String, String?)])
    func `a command of handle is registered again as it was`(damage: String, word: String?) async throws {
        let scene = try await DoctorScene.healthy()
        let command = "echo \"it's $IPC_URL\""
        _ = try await RunningProcess.run(
            try Binaries.path("ipc-client"), ["handle", "notes", "--exec", command, "--reply"],
            environment: scene.environment
        ).succeeded()
        let listed = try await scene.run("ipc-client handle --list").output
        try await scene.run(damage + " && " + Self.reload)
        guard let word else {
            // The control: a command that the user has removed is not a fault.
            return #expect(try await scene.examine().words == [])
        }
        let after = try await scene.expectMended(word, "problem")
        #expect(after.words == [])
        #expect(try await scene.run("ipc-client handle --list").output == listed)
        #expect(try await scene.run("ipc-client call notes:x").output == "it's notes:x\n")
    }

    private static let reload =
        "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig >/dev/null"

    @Test func `a registration whose claim was lost with the store`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        try await scene.run("rm \(scene.store)/store.sqlite*")
        let after = try await scene.expectMended("registration-without-claim", "problem", saying: DoctorScene.scheme)
        #expect(after.words == [])
    }

    @Test func `a handler that fails until it starts successfully`() async throws {
        let scene = try await DoctorScene.healthy()
        // The handler's program runs to completion without ever owning its name, so the start fails.
        let sent = try await RunningProcess.run(
            try Binaries.path("ipc-client"), ["open", "\(DoctorScene.scheme):x"], environment: scene.environment)
        #expect(sent.status == .exited(69), "\(sent)")
        let before = try #require(try await scene.examine()["handler-fails"])
        #expect(before.level == "note" && before.message.contains("the newest request to \(DoctorScene.application)"))
        // The command that `doctor` suggests shows the step that failed.
        let told = try await scene.run(try #require(before.command))
        #expect(told.output.contains("start-failed"), "\(told)")
        let server = try await RunningProcess.start(
            try Binaries.path("ipc-server"),
            ["--application", DoctorScene.application, "--scheme", DoctorScene.scheme],
            environment: scene.environment, input: .none)
        try await server.errors.waitForLine { $0.contains("listening as ") }
        try await scene.run("ipc-client open \(DoctorScene.scheme):x")
        #expect(try await scene.examine()["handler-fails"] == nil)
        #expect(try await server.terminate() == .success)
    }

    @Test func `a default that names a removed entry, followed by an installed one`() async throws {
        let scene = try await DoctorScene.healthy()
        let rest = "[Default Applications]\ntext/plain=nobody.desktop;\nx-scheme-handler/well.example="
        try FileContents.write(rest + "gone.desktop;\(DoctorScene.application).desktop\n", to: scene.associations)
        let after = try await scene.expectMended("desktop-default-without-entry", "problem", saying: "gone.desktop")
        #expect(after.words == [])
        #expect(try FileContents.text(scene.associations) == rest + "\(DoctorScene.application).desktop;\n")
    }

    @Test func `the commands of one report can be run in sequence`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.run(
            "ipc-client scheme register one.example two.example three.example --application \(DoctorScene.application) "
                + "--persistent --no-desktop")
        let lines = ["one", "two", "three"].map { "x-scheme-handler/\($0).example=gone.desktop\n" }
        let rest = "x-scheme-handler/well.example=\(DoctorScene.application).desktop\n"
        try FileContents.write("[Default Applications]\n" + lines.joined() + rest, to: scene.associations)
        let report = try await scene.examine()
        #expect(report.words == Array(repeating: "desktop-default-without-entry", count: 3))
        #expect(report.findings.allSatisfy { $0.level == "problem" })
        let after = try await scene.examine(after: report.findings.compactMap(\.command).joined(separator: "\n"))
        #expect(after.words == [])
        #expect(try FileContents.text(scene.associations) == "[Default Applications]\n" + rest)
    }

    /// The desktop uses the folders of the session, not those in this shell's environment.
    @Test(.enabled(if: BusImplementation.current == .daemon, "it is unknown which folders dbus-broker searches"))
    func `a shell with another data directory than the bus`() async throws {
        var scene = try await DoctorScene.healthy()
        scene.environment["XDG_DATA_HOME"] = try scene.bus.directory.makeDirectory("other")
        let found = try await scene.examine()
        #expect(found["desktop-default-without-entry"] == nil, "\(found.output)")
    }
}
