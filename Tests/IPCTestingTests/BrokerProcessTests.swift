import IPCTesting
import Testing

@Suite(.privateBus) struct BrokerProcessTests {
    @Test func `a broker is ready once it owns its name, and keeps its store across kill -9`() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start(try ToyBroker.synced.settings(in: bus))
        #expect(try await bus.hasOwner(BrokerProcess.busName))
        #expect(try await bus.processID(ofName: BrokerProcess.busName) == broker.pid)
        #expect(try await ToyBroker.set("a", "text", on: bus) == 1)
        #expect(try broker.residentAnonymousBytes > 1_000_000)
        #expect(try broker.openDescriptors > 4)
        try await broker.kill9()
        #expect(try await !bus.hasOwner(BrokerProcess.busName))
        try await broker.restart()
        let kept = try await ToyBroker.get("a", on: bus)
        #expect(kept.count == 1)
        #expect(kept.text == "text")
        #expect(broker.startTime > .zero)
        #expect(try await broker.terminate() == .signalled(15))
        #expect(try await ToyBroker.set("a", "nobody", on: bus) == nil)
    }

    @Test func `if a broker does not start, the error contains its output`() async throws {
        let bus = try PrivateBus.current
        let file = bus.directory.appending("broken")
        try FileContents.write("#!/bin/sh\necho the store is locked >&2\nexit 69\n", to: file, isProgram: true)
        var settings = BrokerProcess.Settings()
        settings.executable = file
        await #expect { try await BrokerProcess.start(settings) } throws: { "\($0)".contains("the store is locked") }
    }

    @Test func `the bus starts a service, and the test finds it`() async throws {
        let bus = try PrivateBus.current
        let settings = try ToyBroker.synced.settings(in: bus)
        let store = bus.directory.appending("store")
        let toy = try #require(settings.executable)
        try await bus.addService(name: BrokerProcess.busName, exec: "\(toy) --store \(store) synced")
        let waiting = Task { try await bus.waitForOwner(of: BrokerProcess.busName) }
        let started = try await RunningProcess.run(
            "busctl", ["--user", "call", BrokerProcess.busName, "/toy", "demo.Toy1", "Set", "ss", "a", "x"])
        #expect(started.output == "t 1\n")
        try await waiting.value
        let pid = try await bus.processID(ofName: BrokerProcess.busName)
        #expect(ProcessStatus(pid: pid).isRunning)
    }

    @Test func `a Python peer exchanges lines with the test`() async throws {
        let peer = try await PythonPeer.start(
            """
            import dbus, sys
            bus = dbus.SessionBus()
            print("ready")
            for line in sys.stdin:
                print(bus.name_has_owner(line.strip()))
            """)
        #expect(try await peer.nextLine() == "ready")
        #expect(try await peer.ask("org.freedesktop.DBus") == "True")
        #expect(try await peer.ask("demo.Nobody") == "False")
        #expect(try await peer.finish() == .success)
        let broken = try await PythonPeer.start("raise RuntimeError('wrong script')")
        await #expect { try await broken.nextLine() } throws: { "\($0)".contains("wrong script") }
    }
}
