import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// A broker with `idle-timeout-seconds` that nobody uses.
@DBusActor
@Suite(.privateBus)
struct IdleExitTests {
    enum Held: CaseIterable { case memory, watcher, request, handler, direct }

    /// Starts a broker that exits after a second.
    private func start(isActivatable: Bool = true) async throws -> BrokerProcess {
        let bus = try PrivateBus.current
        let folder = try bus.directory.makeDirectory("config/swift-ipc")
        try FileContents.write(
            "[Service]\nidle-timeout-seconds=1\n[Log]\nlevel=debug\n", to: folder + "/ipc-broker.conf")
        if isActivatable {
            let store = bus.directory.appending("store")
            try await bus.addService(
                name: BrokerProcess.busName, exec: "\(try Binaries.path("ipc-broker")) --store \(store)")
        }
        return try await BrokerProcess.start()
    }

    private func wait(for text: String, in broker: BrokerProcess) async throws {
        while let line = try await broker.nextLogLine() { if line.contains(text) { return } }
        Issue.record("the log has no line with “\(text)”: \(broker.log)")
    }

    @Test func `it exits with 0, and the next call starts another one, which has everything`() async throws {
        let broker = try await start()
        let client = try await BrokerClient(isDirect: false)
        try await client.create("general")
        try await client.set([.string("kept")], on: "general")
        #expect(try await broker.wait() == .success)
        #expect(broker.log.contains("nobody has used the broker for a while, so it exits"), "\(broker.log)")
        let result = try await client.connection.call(
            Pasteboard1.getItems, on: Broker1.busName, at: client.path("general"), GetItemsOptions())
        #expect(result.1.map(\.item) == [.string("kept")])
    }

    @Test func `it stays if the bus could not start it again`() async throws {
        let broker = try await start(isActivatable: false)
        try await wait(for: "the bus could not start it again", in: broker)
        #expect(broker.isRunning)
    }

    @Test(arguments: Held.allCases)
    func `it stays while it holds something, and exits afterwards`(what: Held) async throws {
        let broker = try await start()
        let release = try await hold(what)
        // Any use of the broker would start the time again, so its log tells that the time is over.
        try await wait(for: "it holds something", in: broker)
        #expect(broker.isRunning)
        try await release()
        #expect(try await broker.wait() == .success)
    }

    /// Makes the broker hold something until the returned closure runs.
    private func hold(_ what: Held) async throws -> @DBusActor () async throws -> Void {
        let client = try await BrokerClient(isDirect: false)
        switch what {
        case .memory:
            var options = GetPasteboardOptions()
            (options.create, options.persistent) = (true, false)
            _ = try await client.call(Pasteboards1.getPasteboard, ("volatile", options))
            return { _ = try await client.call(Pasteboards1.removePasteboard, ("volatile", NoOptions())) }
        case .watcher:
            let count = try await client.get("general").count
            let waiting = Task {
                _ = try? await client.call(Pasteboards1.waitForChange, (["general"], count, WaitOptions()))
            }
            return {
                try await client.set([.string("change")], on: "general")
                await waiting.value
            }
        case .request:
            let (answers, answer) = AsyncStream<Void>.makeStream()
            let handler = try await TestHandler("demo.Slow", "slow.demo", isDirect: false) { _, _, _ in
                for await _ in answers { break }
                return ("handled", HandlerReply())
            }
            let sending = Task { _ = try await client.open("slow.demo:x") }
            return {
                answer.yield()
                try await sending.value
                withExtendedLifetime(handler) {}
            }
        case .handler:
            _ = try await client.connection.requestName("demo.Live")
            _ = try await client.call(Schemes1.register, ("demo.Live", ["live.demo"], RegisterOptions()))
            return { client.connection.close() }
        case .direct:
            let direct = try await DirectConnection.open(for: client.connection)
            return { direct.close() }
        }
    }
}
