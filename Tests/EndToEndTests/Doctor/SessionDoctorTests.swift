import Glibc
import IPCTesting
import Testing

/// Broken sessions, found and fixed: runtime directory, bus, `PATH`, display, configuration.
@Suite(.privateBus)
struct SessionDoctorTests {
    @Test func `a runtime directory that other users can enter`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.run("chmod 0755 \"$XDG_RUNTIME_DIR\"")
        try await scene.expectMended("runtime-directory-open", "problem", saying: "0755")
    }

    @Test func `a missing runtime directory`() async throws {
        var scene = try await DoctorScene.healthy()
        scene.environment["XDG_RUNTIME_DIR"] = scene.bus.directory.appending("nowhere")
        try await scene.expectMended("runtime-directory-missing", "note", saying: "nowhere")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of directories"))
    func `a runtime directory of another user`() async throws {
        var scene = try await DoctorScene.healthy()
        let directory = try scene.bus.directory.makeDirectory("theirs")
        #expect(chown(directory, 65_534, 65_534) == 0)
        scene.environment["XDG_RUNTIME_DIR"] = directory
        try await scene.expectMended("runtime-directory-foreign", "problem", saying: "65534")
    }

    @Test func `the address of a bus that has exited, next to the session's own bus`() async throws {
        var scene = try await DoctorScene.healthy()
        scene.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere/bus"
        let after = try await scene.expectMended("bus-unreachable", "problem", saying: "/nowhere/bus")
        #expect(after.words == [])
    }

    @Test func `no address of a bus, and no bus`() async throws {
        var scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        scene.environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        scene.environment["XDG_RUNTIME_DIR"] = try scene.bus.directory.makeDirectory("empty")
        try await scene.expectMended("bus-address-missing", "problem")
    }

    @Test func `a configuration with three mistakes`() async throws {
        let scene = try await DoctorScene.healthy()
        try scene.writeConfiguration(
            "[Limits]\nwatchers=7\nwatcher=1\nhistory=many\n[Other]\nkey=value\nmore=things\n[Log]\nlevel=debug\n")
        // The broker reports one mistake at a time: first the two wrong keys, and then the wrong group.
        for line in [3, 4] {
            let found = try #require(try await scene.examine()["configuration-wrong"])
            #expect(found.message.contains(":\(line): "))
            #expect(try await scene.examine(after: found.command).words == ["configuration-wrong"])
        }
        let after = try await scene.expectMended("configuration-wrong", "problem", saying: ":5: ")
        #expect(after.words == [])
        let text = try FileContents.text(scene.configuration)
        let mended = "[Limits]\nwatchers=7\n#watcher=1\n#history=many\n#[Other]\n#key=value\n#more=things\n"
        #expect(text == mended + "[Log]\nlevel=debug\n")
        // The broker accepts the corrected configuration.
        try await scene.endBroker()
        #expect(try await scene.examine().words == [])
    }

    @Test func `a configuration that is not text`() async throws {
        let scene = try await DoctorScene.healthy()
        try scene.writeConfiguration("")
        try FileContents.write([0xFF, 0xFE, 0x00], to: scene.configuration)
        try await scene.expectMended("configuration-wrong", "problem", saying: "UTF-8")
    }
}
