import IPCTesting
import Testing

/// Broken brokers, found and fixed.
@Suite(.privateBus)
struct BrokerDoctorTests {
    @Test func `a broker without a service file`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        try await scene.bus.removeService(name: DoctorScene.broker)
        let after = try await scene.expectMended("broker-not-activatable", "problem")
        #expect(after.words == [])
    }

    @Test func `a running broker that the bus will not restart`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.bus.removeService(name: DoctorScene.broker)
        let after = try await scene.expectMended("broker-not-activatable", "note", saying: "will not restart it")
        #expect(after.words == [])
    }

    @Test(.enabled(if: DoctorScene.startsAgain, "the bus must answer a start that follows a failed start"))
    func `a broker that exits immediately`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        try await scene.bus.addService(name: DoctorScene.broker, exec: "/bin/false")
        let after = try await scene.expectMended("broker-start-failed", "problem")
        #expect(after.words == [])
    }

    @Test(.enabled(if: DoctorScene.startsAgain, "the bus must answer a start that follows a failed start"))
    func `a broker whose program is missing`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        try await scene.bus.addService(name: DoctorScene.broker, exec: "/nowhere/ipc-broker")
        let after = try await scene.expectMended("service-program-missing", "problem", saying: "/nowhere/ipc-broker")
        #expect(after.words == [])
    }

    /// A program that owns the broker's name and implements one method.
    private func impostor(_ scene: DoctorScene, version: String) async throws -> PythonPeer {
        try await scene.endBroker()
        let peer = try await PythonPeer.start(
            """
            import sys
            import dbus, dbus.service
            from dbus.mainloop.glib import DBusGMainLoop
            from gi.repository import GLib

            DBusGMainLoop(set_as_default=True)
            bus = dbus.SessionBus()

            class Broker(dbus.service.Object):
                @dbus.service.method("org.swiftipc.Broker1", in_signature="a{sv}", out_signature="s")
                def Describe(self, options):
                    if not "\(version)":
                        raise dbus.DBusException("not today")
                    return '{"version": "\(version)"}'

            broker = Broker(bus, "/org/swiftipc/Broker1")
            name = dbus.service.BusName("org.swiftipc.Broker1", bus, do_not_queue=True)
            print("ready")
            GLib.MainLoop().run()

            """)
        try await peer.waitForLine("ready")
        return peer
    }

    @Test func `a broker of another version`() async throws {
        let scene = try await DoctorScene.healthy()
        let peer = try await impostor(scene, version: "0.0.9")
        let after = try await scene.expectMended("broker-version", "problem", saying: "0.0.9")
        #expect(after.words == [])
        withExtendedLifetime(peer) {}
    }

    @Test func `a broker that does not answer`() async throws {
        let scene = try await DoctorScene.healthy()
        let peer = try await impostor(scene, version: "")
        let after = try await scene.expectMended("broker-silent", "problem")
        #expect(after.words == [])
        withExtendedLifetime(peer) {}
    }

    @Test func `a claim of an application that cannot be started`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.run("ipc-client scheme register lonely.example --application org.example.Lonely --persistent")
        let after = try await scene.expectMended("claim-unstartable", "problem", saying: "org.example.Lonely")
        #expect(after.words == [])
        // The control: another application's claim is still there.
        #expect(try await scene.run("ipc-client scheme list").output.contains(DoctorScene.application))
    }

    @Test func `an installed claim of an application that cannot be started`() async throws {
        let scene = try await DoctorScene.healthy()
        try await scene.endBroker()
        let folder = try scene.bus.directory.makeDirectory("data/swift-ipc/handlers")
        try FileContents.write("[Handler]\nSchemes=lonely.example;\n", to: "\(folder)/org.example.Lonely.handler")
        let after = try await scene.expectMended("claim-unstartable", "problem", saying: "org.example.Lonely")
        #expect(after.words == [])
    }
}
