import IPCTesting
import Testing

/// Broken D-Bus service files, found and fixed.
@Suite(.privateBus)
struct ActivationDoctorTests {
    private func write(_ text: String, as name: String, on scene: DoctorScene) async throws {
        try FileContents.write("[D-BUS Service]\n" + text, to: scene.service(name))
        try await scene.bus.reloadConfiguration()
    }

    @Test func `a file with the wrong name`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.run("mv \(scene.service(DoctorScene.application)) \(scene.services)/well.service")
        try await scene.bus.reloadConfiguration()
        let after = try await scene.expectMended("service-name", "problem", saying: "well.service")
        #expect(after.words == [])
    }

    @Test(.enabled(if: BusImplementation.current == .daemon, "it is unknown which folders dbus-broker searches"))
    func `files in a folder that the bus does not read`() async throws {
        var scene = try await DoctorScene.healthy()
        scene.environment["XDG_DATA_HOME"] = try scene.bus.directory.makeDirectory("elsewhere")
        try await scene.endBroker()
        try await scene.bus.removeService(name: DoctorScene.broker)
        try await scene.run("ipc-client setup 2>/dev/null")
        let after = try await scene.expectMended("service-elsewhere", "problem", saying: "elsewhere/dbus-1/services")
        #expect(!after.words.contains("service-unknown-to-bus"), "\(after.output)")
    }

    @Test func `a file without a name in it`() async throws {
        let scene = try await DoctorScene.healthy()
        try await write("Exec=/usr/bin/true\n", as: DoctorScene.application, on: scene)
        try await scene.expectMended("service-malformed", "problem", saying: "“Name”")
    }

    @Test func `a missing program`() async throws {
        let scene = try await DoctorScene.healthy()
        try await write("Name=\(DoctorScene.application)\nExec=/nowhere/well\n", as: DoctorScene.application, on: scene)
        try await scene.expectMended("service-program-missing", "problem", saying: "/nowhere/well")
    }

    @Test func `a program that cannot be run`() async throws {
        let scene = try await DoctorScene.healthy()
        let program = scene.bus.directory.appending("well program")
        try FileContents.write("#!/bin/sh\n", to: program)
        let text = "Name=\(DoctorScene.application)\nExec=\"\(program)\"\n"
        try await write(text, as: DoctorScene.application, on: scene)
        let after = try await scene.expectMended("service-program-missing", "problem", saying: "cannot run")
        #expect(after.words == [])
    }

    @Test func `a program without an absolute path`() async throws {
        let scene = try await DoctorScene.healthy()
        try await write(
            "Name=\(DoctorScene.application)\nExec=true 'a b' c\\\\d\n", as: DoctorScene.application, on: scene)
        let after = try await scene.expectMended("service-program-missing", "problem", saying: "absolute path")
        #expect(!FileContents.exists(scene.service(DoctorScene.application)))
        #expect(after.words == ["claim-unstartable"])
    }

    @Test func `a file without a program`() async throws {
        let scene = try await DoctorScene.healthy()
        try await write("Name=\(DoctorScene.application)\n", as: DoctorScene.application, on: scene)
        try await scene.expectMended("service-malformed", "problem")
    }

    @Test func `a file that the bus has not read`() async throws {
        let scene = try await DoctorScene.healthy()
        // The bus watches the folder itself, not its name: it notices only on the next reload that another folder has
        // that name now.
        try await scene.run(
            "cp -a \(scene.services) \(scene.services).new && rm \(scene.services)/\(DoctorScene.application).service")
        try await scene.bus.reloadConfiguration()
        try await scene.run("mv \(scene.services) \(scene.services).old && mv \(scene.services).new \(scene.services)")
        let after = try await scene.expectMended("service-unknown-to-bus", "problem", saying: DoctorScene.application)
        #expect(after.words == [])
    }
}
