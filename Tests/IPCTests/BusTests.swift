import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

/// Tests of the library that need a bus; this process plays the broker on it.
@DBusActor
@Suite(.privateBus)
struct BusTests {
    private let bus: PrivateBus
    private var address: BusAddress { .address(bus.address) }

    init() throws { bus = try PrivateBus.current }

    private func start(_ broker: FakeBroker) async throws -> Connection { try await broker.serve(on: address) }

    private func server() async throws -> Application {
        try await Application.connect(id: "demo.IPCServer", schemes: ["IPCServer.demo"], bus: address)
    }

    private func deliver(_ id: String, from connection: Connection) async throws -> String {
        try await connection.call(
            URLHandler1.openURL, on: BusName("demo.IPCServer"), at: "/demo/IPCServer",
            (id, "IPCServer.demo:", OpenURLContext())
        ).0
    }

    /// Answers every request until the application is closed; returns their number.
    private func serve(_ application: Application) -> Task<Int, any Error> {
        let requests = application.openURLs
        return Task {
            var count = 0
            for try await request in requests {
                count += 1
                try await request.finish(.handled)
            }
            return count
        }
    }

    @Test func withoutABrokerTheErrorSaysSo() async throws {
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        let error = await #expect(throws: IPCError.self) { try await application.canOpenURL("x:") }
        #expect(error?.code == .storeUnavailable && error?.message.contains("there is no broker") == true)
    }

    @Test func aWaitEndsWhenTheHandlerAppears() async throws {
        let broker = FakeBroker()
        let connection = try await start(broker)
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        let waiting = Task { try await application.canOpenURL("later:x", within: .seconds(1_000)) }
        _ = try await broker.asked.wait(for: 1)
        // A signal from a stranger, or about another scheme, does not make the application ask again. The calls after
        // the signals ensure that both would have reached the application before the check.
        let stranger = try await Connection.open(address)
        try stranger.emit(Schemes1.handlerChanged, from: Broker1.path, ("later", "", "demo.Later"))
        _ = try await stranger.listNames()
        try connection.emit(Schemes1.handlerChanged, from: Broker1.path, ("other", "", "demo.Other"))
        _ = try await application.brokerDescription()
        #expect(broker.asked.elements.count == 1)
        // The scheme now has a handler that is not on the bus yet: the application waits until the handler appears.
        broker.handler = "demo.Later"
        try connection.emit(Schemes1.handlerChanged, from: Broker1.path, ("LATER", "", "demo.Later"))
        _ = try await broker.asked.wait(for: 2)
        broker.canOpen = { _ in true }
        _ = try await stranger.requestName(BusName("demo.Later"))
        #expect(try await waiting.value)
    }

    @Test func aWaitForAHandlerEndsAtItsTimeoutOrCancellation() async throws {
        let broker = FakeBroker()
        let connection = try await start(broker)
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        #expect(try await application.canOpenURL("known:x", within: .zero))
        #expect(try await !application.canOpenURL("later:x", within: .milliseconds(1)))
        let waiting = Task { try await application.canOpenURL("later:x", within: .seconds(1_000)) }
        _ = try await broker.asked.wait(for: 3)
        waiting.cancel()
        let error = await #expect(throws: IPCError.self) { try await waiting.value }
        #expect(error?.code == .storeUnavailable)
        // If the broker exits during a wait, the application asks the next broker, which may know a handler.
        let again = Task { try await application.canOpenURL("later:x", within: .seconds(1_000)) }
        _ = try await broker.asked.wait(for: 4)
        connection.close()
        let next = FakeBroker()
        next.canOpen = { _ in true }
        let nextConnection = try await start(next)
        #expect(try await again.value)
        withExtendedLifetime(nextConnection) {}
    }

    @Test func onlyAHandlerRequestsTheName() async throws {
        let broker = try await start(FakeBroker())
        let senders = [
            try await Application.connect(id: "demo.IPCServer", bus: address),
            try await Application.connect(id: "demo.IPCServer", bus: address),
        ]
        #expect(try await broker.owner(of: BusName("demo.IPCServer")) == nil)
        let handler = try await server()
        let owner = try #require(try await broker.owner(of: BusName("demo.IPCServer")))
        let error = await #expect(throws: IPCError.self) { try await server() }
        #expect(error?.code == .notOwner)
        #expect(error?.message.contains(owner.text) == true)
        #expect(error?.message.contains("process \(try await bus.processID(ofName: "demo.IPCServer"))") == true)
        withExtendedLifetime((senders, handler)) {}
    }

    @Test func aRejectedHandlerReleasesItsName() async throws {
        let broker = FakeBroker()
        broker.register = { throw IPCError(.reservedScheme, "http is reserved") }
        let connection = try await start(broker)
        let application = try await Application.connect(id: "demo.IPCServer", bus: address)
        await #expect(throws: IPCError.self) { try await application.register(["http"]) }
        #expect(try await connection.owner(of: BusName("demo.IPCServer")) == nil)
        broker.register = { RegisterResult() }
        try await application.register(["x"])
        #expect(try await connection.owner(of: BusName("demo.IPCServer")) != nil)
    }

    @Test func i19OnlyTheOwnerOfTheBrokersNameDelivers() async throws {
        let broker = try await start(FakeBroker())
        let stranger = try await Connection.open(address)
        let application = try await server()
        let count = serve(application)
        let error = await #expect(throws: CallError.self) { try await deliver("id-of-the-request", from: stranger) }
        #expect(error?.isRemote(.accessDenied) == true)
        #expect(try await deliver("id-of-the-request", from: broker) == "handled")
        await application.close()
        #expect(try await count.value == 1)
    }

    @Test func i24ARestartedBrokerKnowsTheHandler() async throws {
        let first = try await start(FakeBroker())
        let application = try await server()
        let count = serve(application)
        #expect(try await deliver("id-of-request-01", from: first) == "handled")
        first.close()

        let broker = FakeBroker()
        let registered = Collected<Void>()
        broker.register = {
            registered.add(())
            return RegisterResult()
        }
        let second = try await start(broker)
        _ = try await registered.wait(for: 1)
        #expect(broker.registered.map(\.schemes) == [["IPCServer.demo"]])
        #expect(try await deliver("id-of-request-02", from: second) == "handled")
        await application.close()
        #expect(try await count.value == 2)
    }

    @Test func i24TheHandlerReturnsAfterTheBus() async throws {
        let broker = FakeBroker()
        let registered = Collected<Void>()
        broker.register = {
            registered.add(())
            return RegisterResult()
        }
        let connection = try await start(broker)
        let application = try await server()
        let count = serve(application)
        for round in 2...4 {
            try await bus.startAgain()
            _ = try await registered.wait(for: round)
            #expect(try await deliver("id-of-request-0\(round)", from: connection) == "handled")
        }
        await application.close()
        #expect(try await count.value == 3)
    }

    @Test func aHandlerRejectedLaterEndsWithTheError() async throws {
        let first = try await start(FakeBroker())
        let application = try await server()
        let count = serve(application)
        first.close()
        let broker = FakeBroker()
        broker.register = { throw IPCError(.notOwner, "taken") }
        let second = try await start(broker)
        await #expect(throws: IPCError(.notOwner, "taken")) { try await count.value }
        withExtendedLifetime((application, second)) {}
    }

    /// Closes the old broker during a call, starts the new one, and returns the result of the call.
    private func cut<Answer: Sendable>(
        _ old: FakeBroker, _ new: FakeBroker, asked: Collected<Void>,
        _ call: @escaping @Sendable () async throws -> Answer
    ) async throws -> Result<Answer, any Error> {
        let first = try await start(old)
        let task = Task { try await call() }
        _ = try await asked.wait(for: 1)
        first.close()
        let second = try await start(new)
        defer { second.close() }
        return await task.result
    }

    @Test func i24ReadingContinuesWithTheNextBroker() async throws {
        let (old, new) = (FakeBroker(), FakeBroker())
        let (asked, gate) = (Collected<Void>(), Gate())
        old.describe = {
            asked.add(())
            await gate.wait()
            return "old"
        }
        new.describe = { "new" }
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        let answer = try await cut(old, new, asked: asked) { try await application.brokerDescription() }
        #expect(try answer.get() == "new")
        gate.end()
    }

    @Test func i10AWriteIsRepeatedWithItsIDOrNotAtAll() async throws {
        for resends in [true, false] {
            let (old, new) = (FakeBroker(), FakeBroker())
            let (asked, gate) = (Collected<Void>(), Gate())
            old.write = {
                asked.add(())
                await gate.wait()
                return 1
            }
            new.write = { 2 }
            let application = try await Application.connect(id: "demo.IPCClient", resends: resends, bus: address)
            let answer = try await cut(old, new, asked: asked) {
                try await application.generalPasteboard.setString("once")
            }
            let id = old.written.first?.options.id
            if resends {
                #expect(try answer.get() == 2)
                #expect(id != nil && new.written.map(\.options.id) == [id])
            } else {
                #expect(throws: IPCError.cutOff) { try answer.get() }
                #expect(id == nil && new.written.isEmpty)
            }
            gate.end()
        }
    }

    @Test func i24ARequestIsRepeatedWithItsID() async throws {
        let (old, new) = (FakeBroker(), FakeBroker())
        let (asked, gate) = (Collected<Void>(), Gate())
        old.open = { _, _ in
            asked.add(())
            await gate.wait()
            return OpenURLResult()
        }
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        // Times are rounded up to whole milliseconds, so this time-out becomes 20,001 ms, and the time left becomes at
        // most 20,000 ms once a nanosecond has passed.
        var waiting = OpenOptions()
        waiting.timeout = .seconds(20) + .nanoseconds(1)
        let answer = try await cut(old, new, asked: asked) { [waiting] in
            try await application.open("x:", options: waiting).outcome
        }
        #expect(try answer.get() == .handled)
        #expect(new.opened.map(\.options.id) == old.opened.map(\.options.id) && new.opened.count == 1)
        // The repeated call states the original time-out and also the time left, so that the wait does not start over.
        let options = try #require(new.opened.first?.options)
        let left = try #require(options.timeLeft)
        #expect(options.timeout == 20_001 && 0 < left && left < 20_001)
        #expect(old.opened.first?.options.timeLeft == nil)
        gate.end()
    }

    @Test func i13ChangesContinueAfterTheBus() async throws {
        let broker = FakeBroker()
        let (asked, gate) = (Collected<UInt64>(), Gate())
        broker.change = { since in
            asked.add(since)
            // The bus is restarted before the second call is answered, so that this answer is lost.
            if asked.elements.count == 2 { await gate.wait() }
            return (since + 1, [ChangedPasteboard(name: "general", changeCount: since + 1)], ChangeFacts())
        }
        let connection = try await start(broker)
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        let changes = application.generalPasteboard.changes(since: 5)
        let task = Task {
            var counts: [UInt64] = []
            for try await change in changes {
                counts.append(change.changeCount)
                if counts.count == 2 { break }
            }
            return counts
        }
        _ = try await asked.wait(for: 2)
        try await bus.startAgain()
        #expect(try await task.value == [6, 7])
        #expect(asked.elements == [5, 6, 6])
        gate.end()
        withExtendedLifetime(connection) {}
    }

    @Test func i13ChangesContinueWithTheNextBroker() async throws {
        let (old, new) = (FakeBroker(), FakeBroker())
        let (asked, gate) = (Collected<UInt64>(), Gate())
        old.change = { since in
            asked.add(since)
            if asked.elements.count == 2 { await gate.wait() }
            return (since + 1, [ChangedPasteboard(name: "general", changeCount: since + 1)], ChangeFacts())
        }
        // The next broker no longer knows which boards were removed, so it reports a resync. The board has changed as
        // well.
        new.change = { since in
            asked.add(since)
            var facts = ChangeFacts()
            facts.resync = true
            return (90, [ChangedPasteboard(name: "general", changeCount: 80)], facts)
        }
        let first = try await start(old)
        let application = try await Application.connect(id: "demo.IPCClient", bus: address)
        let changes = application.changes(of: ["general", "gone"], since: 5)
        let task = Task {
            var seen: [PasteboardChange] = []
            for try await change in changes {
                seen.append(change)
                if seen.count == 3 { break }
            }
            return seen
        }
        _ = try await asked.wait(for: 2)
        first.close()
        let second = try await start(new)
        let seen = try await task.value
        #expect(seen.map(\.name) == ["general", "general", "gone"] && seen.map(\.changeCount) == [6, 80, 0])
        #expect(seen.map(\.isResync) == [false, true, true] && seen.map(\.cursor) == [6, 90, 90])
        #expect(asked.elements == [5, 6, 6])
        gate.end()
        withExtendedLifetime(second) {}
    }

    @Test func otherClaimsOfASchemeAreReportedOnConnecting() async throws {
        let broker = FakeBroker()
        broker.register = {
            var claim = ClaimFacts()
            (claim.scheme, claim.application, claim.handler) = ("IPCServer.demo", "demo.Other", true)
            var result = RegisterResult()
            result.conflicts = [claim]
            return result
        }
        let connection = try await start(broker)
        let application = try await server()
        #expect(application.conflicts.map(\.application) == ["demo.Other"])
        let sender = try await Application.connect(id: "demo.IPCClient", bus: address)
        #expect(sender.conflicts.isEmpty)
        withExtendedLifetime(connection) {}
    }

    @Test func aProgramStartedByABusDoesNotOutliveIt() async throws {
        let broker = try await start(FakeBroker())
        let (started, other) = (
            try await server(), try await Application.connect(id: "demo.Other", schemes: ["other"], bus: address)
        )
        started.receiver.absence?.patience = .milliseconds(50)
        // This program must count as not started by a bus, even if a bus started the terminal that the tests run in.
        other.receiver.absence?.patience = nil
        let lost = Collected<String>()
        started.onBusLost { lost.add("started") }
        other.onBusLost { lost.add("other") }
        let (ended, waiting) = (serve(started), serve(other))
        try await bus.kill()
        let error = await #expect(throws: IPCError.self) { try await ended.value }
        #expect(error?.code == .noBus && error?.message.contains("started this program") == true)
        #expect(Set(try await lost.wait(for: 2)) == ["started", "other"])
        // Negative control: the other program keeps running without the bus, and closes without an error.
        await other.close()
        #expect(try await waiting.value == 0)
        withExtendedLifetime(broker) {}
    }

    @Test func aBusThatReturnsInTimeIsAwaited() async throws {
        let broker = FakeBroker()
        let registered = Collected<Void>()
        broker.register = {
            registered.add(())
            return RegisterResult()
        }
        let connection = try await start(broker)
        let application = try await server()
        application.receiver.absence?.patience = .seconds(60)
        let count = serve(application)
        try await bus.startAgain()
        _ = try await registered.wait(for: 2)
        #expect(try await deliver("id-of-the-request", from: connection) == "handled")
        await application.close()
        #expect(try await count.value == 1)
    }

    @Test func theEnvironmentShowsAStartByTheBus() {
        #expect(BusAbsence.isStartedByBus { $0 == "DBUS_STARTER_ADDRESS" })
        #expect(BusAbsence.isStartedByBus { $0 == "DBUS_STARTER_BUS_TYPE" })
        #expect(!BusAbsence.isStartedByBus { $0 == "DBUS_SESSION_BUS_ADDRESS" })
    }

    @Test func aBrokerThatFailsToStartIsNotReportedAsMissing() {
        let spawn = "org.freedesktop.DBus.Error.Spawn."
        for (name, words) in [
            (spawn + "ChildExited", "'ipc-client doctor' shows"), (spawn + "ServiceNotFound", "'ipc-client setup'"),
            ("org.freedesktop.DBus.Error.ServiceUnknown", "'ipc-client doctor'"),
        ] {
            let error = IPCError(CallError.remote(name: name, message: "why"))
            #expect(error.code == .storeUnavailable && error.message.contains(words), "\(error)")
        }
    }
}
