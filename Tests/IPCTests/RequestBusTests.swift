import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

@testable import IPC

private let id = "0123456789abcdef"

/// Tests of requests that need a bus; this process plays the broker on it.
@DBusActor
@Suite(.privateBus)
struct RequestBusTests {
    private let bus: PrivateBus
    private var address: BusAddress { .address(bus.address) }

    init() throws { bus = try PrivateBus.current }

    private func start(_ broker: FakeBroker) async throws -> Connection { try await broker.serve(on: address) }

    private func client(resends: Bool = true) async throws -> Application {
        try await Application.connect(id: "demo.IPCClient", resends: resends, bus: address)
    }

    /// Makes a call whose broker exits before it answers, starts the next broker, and returns the result of the call.
    private func cut<Answer: Sendable>(
        _ old: FakeBroker, _ new: FakeBroker, asked: Collected<Void>,
        _ call: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let first = try await start(old)
        let task = Task { try await call() }
        _ = try await asked.wait(for: 1)
        first.close()
        let second = try await start(new)
        defer { second.close() }
        return try await task.value
    }

    @Test(arguments: [true, false])
    func i7OnlyARepeatedCallIsMarkedAsRepeated(_ isQueued: Bool) async throws {
        let (old, new) = (FakeBroker(), FakeBroker())
        let (asked, gate) = (Collected<Void>(), Gate())
        old.open = { _, _ in
            asked.add(())
            await gate.wait()
            return result("handled")
        }
        let application = try await client()
        var options = OpenOptions()
        options.isQueued = isQueued
        let full = options
        _ = try await cut(old, new, asked: asked) { try await application.open("x:", options: full) }
        #expect(old.opened.map(\.options.repeated) == [nil])
        #expect(new.opened.map(\.options.repeated) == [true])
        #expect(new.opened.map(\.options.id) == old.opened.map(\.options.id))
        gate.end()
    }

    @Test func withoutDirectConnectionsEverythingGoesOverTheBus() async throws {
        let broker = FakeBroker()
        let connection = try await start(broker)
        defer { connection.close() }
        let application = try await client()
        for _ in 0..<40 { _ = try await application.open("x:") }
        #expect(broker.opened.count == 40)
        #expect(broker.opened.allSatisfy { $0.options.repeated == nil })
        #expect(await application.link.route.direct() == nil)
        await application.close()
    }

    @Test func anUndeliveredCallIsNotMarkedAsRepeated() async throws {
        let application = try await client()
        let first = try await start(FakeBroker())
        _ = try await application.open("x:")
        first.close()
        // Wait until the bus has noticed that the first broker is gone: no broker gets the call before the next one
        // starts.
        let observer = try await Connection.open(.address(try PrivateBus.current.address))
        while try await observer.owner(of: Broker1.busName) != nil { try Task.checkCancellation() }
        let new = FakeBroker()
        let opening = Task { try await application.open("y:") }
        let second = try await start(new)
        _ = try await opening.value
        #expect(new.opened.map(\.options.repeated) == [nil])
        withExtendedLifetime(second) {}
    }

    @Test func i24WaitingContinuesWithTheNextBroker() async throws {
        let (old, new) = (FakeBroker(), FakeBroker())
        let (asked, gate) = (Collected<Void>(), Gate())
        old.requests.wait = { _, _ in
            asked.add(())
            await gate.wait()
            return result("declined")
        }
        new.requests.wait = { _, _ in result(new.requests.waited.count == 1 ? "queued" : "handled") }
        let application = try await client()
        let end = try await cut(old, new, asked: asked) { try await application.request(RequestID(id)).wait() }
        #expect(end.outcome == .handled && new.requests.waited.count == 2)
        gate.end()
    }

    @Test func i24WaitingContinuesAfterTheBus() async throws {
        let broker = FakeBroker()
        let (asked, gate) = (Collected<Void>(), Gate())
        broker.requests.wait = { _, _ in
            asked.add(())
            if asked.elements.count == 1 { await gate.wait() }
            return result("handled")
        }
        let connection = try await start(broker)
        let application = try await client()
        let waiting = Task { try await application.request(RequestID(id)).wait() }
        _ = try await asked.wait(for: 1)
        try await bus.startAgain()
        #expect(try await waiting.value.outcome == .handled)
        gate.end()
        withExtendedLifetime(connection) {}
    }

    @Test func i19OutcomesAreAcceptedOnlyFromTheBroker() async throws {
        let broker = try await start(FakeBroker())
        let stranger = try await Connection.open(address)
        let application = try await client()
        let completions = try await application.completions()
        let name = try #require(application.link.connection.uniqueName)
        try stranger.emit(URLs1.requestCompleted, from: Broker1.path, (id, "failed"), to: name)
        // When this call is answered, the bus has passed on the stranger's signal, so the broker's signal comes after
        // it.
        _ = try await stranger.owner(of: Broker1.busName)
        try broker.emit(URLs1.requestCompleted, from: Broker1.path, (id, "handled"), to: name)
        var ends = completions.makeAsyncIterator()
        #expect(await ends.next() == RequestCompletion(id: try RequestID(id), outcome: .handled))
    }

    @Test func withoutAnIDACallIsNeitherRepeatedNorCancelled() async throws {
        let broker = FakeBroker()
        let (asked, gate) = (Collected<Void>(), Gate())
        broker.open = { _, _ in
            asked.add(())
            await gate.wait()
            return result("handled")
        }
        let connection = try await start(broker)
        let application = try await client(resends: false)
        let opening = Task { try await application.open("x:") }
        _ = try await asked.wait(for: 1)
        opening.cancel()
        await #expect(throws: IPCError.self) { try await opening.value }
        _ = try await application.brokerDescription()
        #expect(broker.requests.cancelled.elements.isEmpty && broker.opened[0].options.id == nil)
        gate.end()
        withExtendedLifetime(connection) {}
    }
}
