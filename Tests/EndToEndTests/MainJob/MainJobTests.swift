import IPCTesting
import Testing

/// A listening server, a sending client, a broker on D-Bus, a lasting pasteboard.
@Suite(.privateBus)
struct MainJobTests {
    @Test func aTextArrivesAndTheSenderGetsTheOutcome() async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--count", "1"])
        let sent = try await Tools.client(["send", "hello"])
        #expect(sent.status == .success, "\(sent)")
        #expect(try await server.nextLine() == "hello")
        #expect(try await server.wait() == .success)
        #expect(broker.isRunning)
    }

    @Test func theBusStartsBrokerAndServer() async throws {
        let bus = try PrivateBus.current
        try await installed(on: bus)
        let sent = try await Tools.client(["send", "hello"])
        #expect(sent.status == .success, "\(sent)")
        #expect(try FileContents.text(bus.directory.appending("received")) == "hello\n")
    }

    /// Installs the files of `make install`, with a handler whose output can be read.
    private func installed(on bus: PrivateBus) async throws {
        let store = bus.directory.appending("store")
        try await bus.addService(
            name: "org.swiftipc.Broker1", exec: "\(try Binaries.path("ipc-broker")) --store \(store)")
        let script = bus.directory.appending("server.sh")
        try FileContents.write(
            "#!/bin/sh\nexec \(try Binaries.path("ipc-server")) >\(bus.directory.appending("received"))\n", to: script)
        try await bus.addService(name: "demo.IPCServer", exec: "/bin/sh \(script)")
        let data = try #require(bus.environment["XDG_DATA_HOME"])
        _ = try await RunningProcess.run("mkdir", ["-p", "\(data)/swift-ipc/handlers"]).succeeded()
        try FileContents.write(
            "[Handler]\nSchemes=IPCServer.demo;\n", to: "\(data)/swift-ipc/handlers/demo.IPCServer.handler")
    }

    @Test func withoutAHandlerTheErrorSaysWhatToDo() async throws {
        let broker = try await BrokerProcess.start()
        let sent = try await Tools.client(["send", "hello"])
        #expect(sent.status == .exited(68))
        #expect(sent.output.isEmpty)
        #expect(sent.errors.contains("IPCServer.demo"))
        let can = try await Tools.client(["scheme", "can-open", "IPCServer.demo:"])
        #expect(can.status != .success)
        withExtendedLifetime(broker) {}
    }

    @Test func withoutABusOrABrokerTheErrorSaysWhatToDo() async throws {
        let noBroker = try await Tools.client(["send", "hello"])
        #expect(noBroker.status == .exited(69))
        #expect(noBroker.errors.contains("broker"))
        let noBus = try await Tools.client(["send", "hello"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(noBus.status == .exited(69))
        #expect(noBus.errors.contains("bus"))
        let deadBus = try await Tools.client(
            ["send", "hello"], environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"])
        #expect(deadBus.status == .exited(69))
    }

    @Test func thePasteboardOutlivesTheBrokerAndTheBus() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server()
        #expect(try await Tools.client(["send", "kept text"]).status == .success)
        try await broker.kill9()
        try await bus.kill()
        await server.end()
        try await bus.startAgain()
        try await broker.restart()
        let got = try await Tools.client(["get", "demo.IPCClient"])
        #expect(got.status == .success)
        #expect(got.output == "kept text")
    }

    @Test(arguments: ["IPCServer.demo:", "ipcserver.demo:", "IPCSERVER.DEMO:"])
    func theURLArrivesByteForByte(_ scheme: String) async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--json"])
        let urls = [
            scheme, "\(scheme)//IPCServer.demo?key=value", "\(scheme)//a b  c", "\(scheme)//x?%E6%97%A5%E6%9C%AC&100%",
            "\(scheme)//日本語/e\u{301}\u{e9}", "\(scheme)\"quotes\"\\and\\backslashes'",
            "\(scheme)//long?" + String(repeating: "0123456789", count: 6_144),
        ]
        for url in urls {
            let sent = try await Tools.client(["send", "--url", url, "x"])
            #expect(sent.status == .success, "\(sent.errors)")
            let line = try #require(try await server.nextLine())
            #expect(try JSONText.string("url", in: line).utf8.elementsEqual(url.utf8))
        }
        withExtendedLifetime(broker) {}
    }

    @Test func requestsOfAThousandSendersAreNeitherLostNorMixedUp() async throws {
        let total = TestSize.pick(small: 160, full: 1_000)
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--count", "\(total)"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<16 {
                group.addTask {
                    for number in stride(from: sender, to: total, by: 16) {
                        let sent = try await Tools.client(["send", "text number \(number)"])
                        #expect(sent.status == .success, "\(sent)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await server.wait() == .success)
        let lines = server.output.text.split(separator: "\n").map(String.init)
        #expect(lines.count == total)
        #expect(Set(lines) == Set((0..<total).map { "text number \($0)" }))
        withExtendedLifetime(broker) {}
    }
}
