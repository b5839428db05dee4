import IPCDBus
import IPCTesting
import Testing

/// A session ends with its bus, and programs that the bus started exit with both.
@DBusActor
@Suite(.privateBus)
struct BusEndTests {
    @Test func theBrokerExitsCleanlyWithItsBus() async throws {
        let broker = try await BrokerProcess.start()
        try await PrivateBus.current.kill()
        #expect(try await broker.wait() == .success)
        #expect(broker.log.contains("notice") && broker.log.contains("the message bus was closed"), "\(broker.log)")
        #expect(!broker.log.contains("error"), "\(broker.log)")
    }

    /// The bus ends as soon as it knows the broker's connection, so the broker has not finished its start. If it does not
    /// know yet that it is connected, it reports that there is no bus (69).
    @Test func aBrokerWhoseBusEndsDuringItsStartDoesNotReportAFailure() async throws {
        let bus = try PrivateBus.current
        for round in 1...10 {
            let witness = try await Connection.open(.address(bus.address))
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            let subscription = try await witness.subscribe(to: MessageBus.nameOwnerChanged, from: .bus) { change, _ in
                if change.0.hasPrefix(":"), !change.2.isEmpty { arrival.yield() }
            }
            let broker = try await RunningProcess.start(
                Binaries.path("ipc-broker"), ["--store", bus.directory.appending("store")],
                environment: bus.environment)
            for await _ in arrivals { break }
            try await bus.kill()
            let status = try await broker.wait()
            #expect(status == .success || status == .exited(69), "round \(round): \(broker.errors.text)")
            withExtendedLifetime(subscription) {}
            try await bus.startAgain()
        }
    }

    /// The sender cannot know what the handler did, because the handler already has the URL when the bus ends.
    @Test(arguments: ["open", "call"])
    func aDisconnectedSenderSaysThatTheRequestMayHaveBeenHandled(command: String) async throws {
        let broker = try await BrokerProcess.start()
        let server = try await Tools.server(["--exec", "exec sleep 600"])
        let id = "0123456789-cut-off"
        let sender = try await RunningProcess.start(
            try Binaries.path("ipc-client"), [command, "IPCServer.demo:x", "--timeout", "1s", "--id", id], input: .none)
        _ = try await server.nextLine()
        try await PrivateBus.current.kill()
        #expect(try await sender.wait() == .exited(75))
        let errors = sender.errors.text
        #expect(errors.contains("the request may have been handled") && errors.contains(id), "\(errors)")
        withExtendedLifetime((broker, server)) {}
    }

    /// This needs dbus-daemon, which tells a program in a variable that the bus started it; dbus-broker does not.
    @Test(.enabled(if: BusImplementation.current == .daemon, "dbus-daemon sets DBUS_STARTER_BUS_TYPE"))
    func aHandlerStartedByTheBusExitsWithIt() async throws {
        let broker = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        let mark = bus.directory.appending("ended")
        _ = try await RunningProcess.run("mkfifo", [mark]).succeeded()
        let script = bus.directory.appending("handler.sh")
        try FileContents.write("\(try Binaries.path("ipc-server"))\necho $? >\(mark)\n", to: script)
        try await bus.addService(name: "demo.IPCServer", exec: "/bin/sh \(script)")
        try await Tools.claim()
        _ = try await Tools.client(["send", "hello"]).succeeded()
        let end = try await RunningProcess.start("cat", [mark], input: .none)
        try await bus.kill()
        #expect(try await end.nextLine() == "69")
        withExtendedLifetime(broker) {}
    }

    /// Live claims disappear with the connection, so the handler has nothing to release and nothing to wait for.
    @Test(arguments: [false, true])
    func aHandlerStoppedWithoutABusDoesNotWaitForOne(startedByBus: Bool) async throws {
        let broker = try await BrokerProcess.start()
        let bus = try PrivateBus.current
        var environment = bus.environment
        if startedByBus { environment["DBUS_STARTER_BUS_TYPE"] = "session" }
        let server = try await Tools.server(environment: environment)
        try await bus.kill()
        try await server.errors.waitForLine { $0.contains("the message bus was lost") }
        // If the handler called the bus, it would wait for up to 25 s.
        #expect(try await server.terminate(deadline: .seconds(15)) == .success)
        withExtendedLifetime(broker) {}
    }
}
