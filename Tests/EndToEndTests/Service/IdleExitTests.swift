import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// A broker with `idle-timeout-milliseconds` that no program uses.
@DBusActor
@Suite(.privateBus, .serialized)
struct IdleExitTests {
    enum Held: CaseIterable { case content, history, secret, watcher, request, queued, handler, promise, direct }

    private nonisolated static let rounds = TestSize.pick(small: 40, full: 1_000)
    private nonisolated static let callers = 4
    /// The time of the test that lets many brokers exit, in milliseconds.
    private nonisolated static let shortest = 50
    /// The log of the brokers that the bus starts.
    private nonisolated static let log = "brokers.log"
    /// What a bus sets for the programs that it starts.
    private nonisolated static let startedByBus = ["DBUS_STARTER_BUS_TYPE": "session"]

    /// Writes the configuration and, if the bus can start the broker, its service file.
    private func prepare(milliseconds: Int, isActivatable: Bool = true) async throws {
        try configure(milliseconds: milliseconds)
        guard isActivatable else { return }
        let bus = try PrivateBus.current
        let variables = Self.startedByBus.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let program = "\(try Binaries.path("ipc-broker")) --store \(bus.directory.appending("store"))"
        let log = bus.directory.appending(Self.log)
        try await bus.addService(
            name: BrokerProcess.busName, exec: "/bin/sh -c \"\(variables) exec \(program) 2>> \(log)\"")
    }

    private func configure(milliseconds: Int) throws {
        let folder = try PrivateBus.current.directory.makeDirectory("config/swift-ipc")
        try FileContents.write(
            "[Service]\nidle-timeout-milliseconds=\(milliseconds)\n[Log]\nlevel=debug\n",
            to: folder + "/ipc-broker.conf")
    }

    /// Starts a broker as the bus would, so that the test can see its log and how it exits.
    private func start(_ environment: [String: String] = startedByBus) async throws -> BrokerProcess {
        var settings = BrokerProcess.Settings()
        settings.environment = environment
        return try await BrokerProcess.start(settings)
    }

    private func wait(for text: String, in broker: BrokerProcess) async throws {
        while let line = try await broker.nextLogLine() { if line.contains(text) { return } }
        Issue.record("the log has no line with “\(text)”: \(broker.log)")
    }

    /// Reads a pasteboard. Starts a broker if there is none.
    private func text(on board: String, by client: BrokerClient) async throws -> String? {
        let result = try await client.connection.call(
            Pasteboard1.getItems, on: Broker1.busName, at: client.path(board), GetItemsOptions())
        return result.1.first?.item.string
    }

    @Test func `it exits with 0, and the next call starts another one, which has everything`() async throws {
        try await prepare(milliseconds: 300)
        let broker = try await start()
        let client = try await BrokerClient(isDirect: false)
        try await client.create("notes")
        try await client.set([.string("kept")], on: "notes")
        #expect(try await broker.wait() == .success)
        #expect(
            broker.log.contains("no program has used the broker for a while, and it holds nothing"), "\(broker.log)")
        #expect(try await text(on: "notes", by: client) == "kept")
    }

    @Test func `it stays if the bus could not start it again`() async throws {
        try await prepare(milliseconds: 100, isActivatable: false)
        let broker = try await start()
        try await wait(for: "no service file", in: broker)
        #expect(broker.isRunning)
    }

    @Test(arguments: Held.allCases)
    func `it stays while it holds something, and exits afterwards`(what: Held) async throws {
        // The time starts when the broker holds something. Otherwise, a broker could exit before, on a slow machine.
        try await prepare(milliseconds: 0)
        let broker = try await start()
        let (reason, release) = try await hold(what)
        try configure(milliseconds: 200)
        broker.signal(SIGHUP)
        // Any use of the broker would start the time again, so its log tells that the time is over.
        try await wait(for: "does not exit", in: broker)
        #expect(broker.log.contains(reason), "\(broker.log)")
        #expect(broker.isRunning)
        try await release()
        #expect(try await broker.wait() == .success, "\(broker.log)")
    }

    /// Makes the broker hold something until the returned closure runs.
    private func hold(_ what: Held) async throws -> (String, @DBusActor () async throws -> Void) {
        let client = try await BrokerClient(isDirect: false)
        switch what {
        case .content, .history, .secret, .promise: return try await hold(what, by: client)
        case .watcher:
            let count = try await client.get("general").count
            let waiting = Task {
                _ = try? await client.call(Pasteboards1.waitForChange, (["general"], count, WaitOptions()))
            }
            return (
                "calls",
                {
                    client.connection.close()
                    await waiting.value
                }
            )
        case .request:
            let (answers, answer) = AsyncStream<Void>.makeStream()
            let handler = try await TestHandler("demo.Slow", "slow.demo", isDirect: false) { _, _, _ in
                for await _ in answers { break }
                return ("handled", HandlerReply())
            }
            let sending = Task { _ = try await client.open("slow.demo:x") }
            return (
                "requests",
                {
                    answer.yield()
                    try await sending.value
                    handler.connection.close()
                }
            )
        case .queued:
            var claim = RegisterOptions()
            claim.persistent = true
            _ = try await client.call(Schemes1.register, ("demo.Absent", ["absent.demo"], claim))
            var options = OpenURLOptions()
            options.queue = true
            let id = try await client.call(URLs1.openURL, ("absent.demo:x", options)).id
            return ("requests", { _ = try await client.call(URLs1.cancelRequest, (id ?? "", NoOptions())) })
        case .handler:
            _ = try await client.connection.requestName("demo.Live")
            _ = try await client.call(Schemes1.register, ("demo.Live", ["live.demo"], RegisterOptions()))
            return ("handlers", { client.connection.close() })
        case .direct:
            let direct = try await DirectConnection.open(for: client.connection)
            // The broker closes a direct connection when its caller leaves the bus.
            return ("direct connections", { withExtendedLifetime(client) { direct.close() } })
        }
    }

    private func hold(
        _ what: Held, by client: BrokerClient
    ) async throws -> (String, @DBusActor () async throws -> Void) {
        var options = WriteOptions()
        switch what {
        case .secret: options.sensitive = true
        case .promise:
            options.promises = [["image/png"]]
            options.create = true
            options.persistent = true
        default: break
        }
        let board = what == .promise ? "promised" : "general"
        _ = try await client.call(Pasteboard1.setItems, at: client.path(board), ([.string("held")], options))
        func set(_ property: MemberName, _ value: Value) async throws {
            _ = try await client.call(
                Properties.set, at: client.path(board), (Pasteboard1.name.text, property.text, value))
        }
        switch what {
        case .secret: return ("pasteboards in memory", { _ = try await client.get(board) })
        case .promise: return ("promises", { client.connection.close() })
        case .history:
            _ = try await client.call(Pasteboard1.clear, at: client.path(board), ClearOptions())
            return ("pasteboards in memory", { try await set(Pasteboard1.historyLimit.name, .uint32(0)) })
        default: return ("pasteboards in memory", { try await set(Pasteboard1.persistent.name, .boolean(true)) })
        }
    }

    /// Several programs call at about the time at which the broker exits, and each call gets its answer. The pauses are
    /// the load of this test; it waits for no event.
    @Test func `no call is lost while brokers exit`() async throws {
        try await prepare(milliseconds: Self.shortest)
        let client = try await BrokerClient(isDirect: false)
        var options = WriteOptions()
        (options.create, options.persistent) = (true, true)
        _ = try await client.connection.call(
            Pasteboard1.setItems, on: Broker1.busName, at: client.path("notes"), ([.string("kept")], options))
        var callers: [BrokerClient] = []
        for _ in 0..<Self.callers { callers.append(try await BrokerClient(isDirect: false)) }
        var generator = SeededGenerator.forTest("idle")
        var brokers: Set<BusName?> = []
        for round in 0..<Self.rounds {
            // Calls arrive from 5 ms before the end of the broker's time to 10 ms after it.
            let pause = Self.shortest * 1_000 - 5_000 + .random(in: 0..<10_000, using: &generator)
            try await withThrowingTaskGroup(of: BusName?.self) { group in
                for (number, caller) in callers.enumerated() {
                    group.addTask {
                        try await Task.sleep(for: .microseconds(pause + number * 1_500))
                        return try await Self.call(caller, round)
                    }
                }
                for try await broker in group { brokers.insert(broker) }
            }
        }
        let log = try FileContents.text(PrivateBus.current.directory.appending(Self.log))
        let last = log.split(separator: "\n").count { $0.contains("about to exit") }
        print("\(Self.callers * Self.rounds) calls to \(brokers.count) brokers, \(last) times at the last moment")
        #expect(brokers.count > Self.rounds / 10)
    }

    /// Reads a pasteboard, and returns the connection of the broker that answered.
    private static func call(_ caller: BrokerClient, _ round: Int) async throws -> BusName? {
        let (output, broker) = try await caller.connection.answer(
            to: Pasteboard1.getItems, on: Broker1.busName, at: caller.path("notes"), GetItemsOptions())
        #expect(output.1.first?.item.string == "kept", "round \(round)")
        return broker
    }
}
