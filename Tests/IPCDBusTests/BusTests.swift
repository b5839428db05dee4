import IPCDBus
import IPCTesting
import Testing

/// Tests of features that need a bus, not just a peer. Each test has its own bus.
@DBusActor
@Suite(.privateBus)
struct BusTests {
    private let bus: PrivateBus

    init() throws { bus = try PrivateBus.current }

    private let name = BusName("org.example.Service")

    private func connect(reconnects: Bool = false, _ objects: ObjectServer? = nil) async throws -> Connection {
        try await Connection.open(.address(bus.address), reconnects: reconnects, objects: objects)
    }

    private func serve() async throws -> Connection {
        let objects = ObjectServer()
        objects.export([Echo.interface()], at: "/echo")
        return try await connect(reconnects: true, objects)
    }

    @Test func aNameIsOwnedOnceAndReleased() async throws {
        let (one, other) = (try await connect(), try await connect())
        #expect(try await one.requestName(name) == .primaryOwner)
        #expect(try await one.requestName(name) == .alreadyOwner)
        #expect(try await other.requestName(name) == .exists)
        #expect(try await other.owner(of: name) == one.uniqueName)
        try await one.releaseName(name)
        #expect(try await other.owner(of: name) == nil)
        #expect(try await other.requestName(name) == .primaryOwner)
    }

    @Test func `calls that arrive before the program serves are kept, and answered in order`() async throws {
        let objects = ObjectServer()
        objects.hold()
        let (server, client) = (try await connect(objects), try await connect())
        _ = try await server.requestName(name)
        var answers: [UInt64] = []
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        for number in 0..<3 as Range<UInt64> {
            client.call(Echo.add, on: name, at: "/echo", (number, 0)) { result in
                if case .success(let sum) = result { answers.append(sum) }
                end.yield()
            }
        }
        // The bus answers each connection in order, so both have seen the calls by now.
        _ = try await client.owner(of: name)
        _ = try await server.owner(of: name)
        #expect(answers == [])
        objects.export([Echo.interface()], at: "/echo")
        objects.serve()
        for await _ in ends.prefix(3) {}
        #expect(answers == [0, 1, 2])
        // From now on, calls are handled at once.
        #expect(try await client.call(Echo.add, on: name, at: "/echo", (1, 2)) == 3)
    }

    @Test func `a departure ends the wait for it, and a connection that stays does not`() async throws {
        let (one, other) = (try await connect(), try await connect())
        let former = try #require(other.uniqueName)
        await #expect(throws: CallError.timedOut) {
            try await one.waitForDeparture(of: former, timeout: .milliseconds(20))
        }
        let waiting = Task { try await one.waitForDeparture(of: former, timeout: .seconds(30)) }
        other.close()
        try await waiting.value
        try await one.waitForDeparture(of: former, timeout: .zero)
    }

    @Test func waitersForANameGetItInTurn() async throws {
        let (one, other, third) = (try await connect(), try await connect(), try await connect())
        let wanted = name
        try await one.ownName(name)
        try await one.ownName(name)
        let waiting = Task { @DBusActor in try await other.ownName(wanted) }
        try await queued(1, on: one)
        let givenUp = Task { @DBusActor in try await third.ownName(wanted) }
        try await queued(2, on: one)
        givenUp.cancel()
        await #expect(throws: CallError.cancelled) { try await givenUp.value }
        one.close()
        try await waiting.value
        #expect(try await other.owner(of: name) == other.uniqueName)
        try await other.releaseName(name)
        #expect(try await other.owner(of: name) == nil)
    }

    /// Waits until this many connections are queued for the name.
    private func queued(_ count: Int, on connection: Connection) async throws {
        let owners = Method(
            "org.freedesktop.DBus", "ListQueuedOwners", takes: .of(Argument<String>("name")),
            returns: .of(Argument<[String]>("names")), "")
        try await withDeadline("a queue of \(count)") {
            while try await connection.call(owners, on: .bus, at: "/org/freedesktop/DBus", name.text).count <= count {}
        }
    }

    @Test func aClosedConnectionNoLongerWaitsForAName() async throws {
        let (one, other) = (try await connect(), try await connect())
        let wanted = name
        try await one.ownName(name)
        let waiting = Task { @DBusActor in try await other.ownName(wanted) }
        try await queued(1, on: one)
        other.close()
        await #expect(throws: CallError.disconnected) { try await waiting.value }
    }

    @Test func signalsAreASequence() async throws {
        let (owner, stranger, listener) = (try await connect(), try await connect(), try await connect())
        _ = try await owner.requestName(name)
        let signals = try await listener.signals(Echo.announced, from: name, at: "/echo")
        try stranger.emit(Echo.announced, from: "/echo", "forged")
        for text in ["one", "two"] { try owner.emit(Echo.announced, from: "/echo", text) }
        try owner.emit(Echo.announced, from: "/other", "elsewhere")
        try owner.emit(Echo.announced, from: "/echo", "three")
        var heard: [String] = []
        for await text in signals {
            heard.append(text)
            if text == "three" { listener.close() }
        }
        #expect(heard == ["one", "two", "three"])
    }

    @Test func anInvalidNameLiteralIsAProgrammingError() async {
        await #expect(processExitsWith: .failure) { _ = BusName(stringLiteral: "nodots") }
        #expect(("org.example.Service" as BusName).text == "org.example.Service")
    }

    @Test func aWatchReportsEveryOwner() async throws {
        let (watcher, owner) = (try await connect(), try await connect())
        let seen = Collected<String>()
        let watch = try await watcher.watchName(name) { old, new in
            seen.add("\(old?.text ?? "-") > \(new?.text ?? "-")")
        }
        #expect(watch.owner == nil)
        _ = try await owner.requestName(name)
        let unique = try #require(owner.uniqueName).text
        #expect(try await seen.wait(for: 1) == ["- > \(unique)"])
        owner.close()
        #expect(try await seen.wait(for: 2) == ["- > \(unique)", "\(unique) > -"])
    }

    @Test func waitingForANameEndsWithItsOwnerOrItsTimeout() async throws {
        let (one, other) = (try await connect(), try await connect())
        await #expect(throws: CallError.timedOut) { try await one.waitForName(name, timeout: .milliseconds(10)) }
        let wanted = name
        let waiting = Task { @DBusActor in try await one.waitForName(wanted, timeout: .seconds(20)) }
        _ = try await other.requestName(name)
        #expect(try await waiting.value == other.uniqueName)
    }

    @Test func onlySignalsFromTheOwnerOfTheNameAreAccepted() async throws {
        let (owner, impostor, listener) = (try await connect(), try await connect(), try await connect())
        _ = try await owner.requestName(name)
        let heard = Collected<String>()
        let subscription = try await listener.subscribe(to: Echo.announced, from: name) { text, _ in heard.add(text) }
        let everything = Collected<String>()
        let anybody = try await listener.subscribe(to: Echo.announced, from: nil) { text, _ in everything.add(text) }
        try impostor.emit(Echo.announced, from: "/echo", "forged")
        // The bus may deliver a signal directly to one connection, regardless of match rules.
        try impostor.emit(Echo.announced, from: "/echo", "forged, unicast", to: listener.uniqueName)
        _ = try await impostor.listNames()
        try owner.emit(Echo.announced, from: "/echo", "genuine")
        #expect(try await heard.wait(for: 1) == ["genuine"])
        // The control: without the sender check, the forged signals arrive.
        #expect(try await everything.wait(for: 3) == ["forged", "forged, unicast", "genuine"])
        withExtendedLifetime((subscription, anybody)) {}
    }

    @Test func theAnswerAndTheSignalBothArrive() async throws {
        let server = try await serve()
        let client = try await connect()
        let heard = Collected<String>()
        let subscription = try await client.subscribe(to: Echo.announced, from: server.uniqueName) {
            text, _ in heard.add(text)
        }
        try await client.call(Echo.announce, on: server.uniqueName, at: "/echo", "now")
        heard.add("answered")
        #expect(try await heard.wait(for: 2).sorted() == ["answered", "now"])
        withExtendedLifetime(subscription) {}
    }

    @Test func everythingIsRestoredAfterALossOfTheBus() async throws {
        let (server, client) = (try await serve(), try await connect(reconnects: true))
        _ = try await server.requestName(name)
        let heard = Collected<String>()
        let subscription = try await client.subscribe(to: Echo.announced, from: name) { text, _ in heard.add(text) }
        let seen = Collected<String>()
        let watch = try await client.watchName(name) { _, new in seen.add(new == nil ? "gone" : "there") }
        let (lost, back) = (Collected<Int>(), Collected<Int>())
        client.onDisconnect { lost.add(1) }
        server.onReconnect { back.add(1) }
        client.onReconnect { back.add(1) }

        try await bus.kill()
        #expect(try await lost.wait(for: 1) == [1])
        try await bus.startAgain()
        _ = try await back.wait(for: 2)

        #expect(try await client.call(Echo.add, on: name, at: "/echo", (40, 2), timeout: .seconds(10)) == 42)
        try server.emit(Echo.announced, from: "/echo", "again")
        #expect(try await heard.wait(for: 1) == ["again"])
        #expect(try await seen.wait(for: 2) == ["gone", "there"])
        withExtendedLifetime((subscription, watch)) {}
    }

    @Test func aCallInProgressFailsWithTheBus() async throws {
        let (server, client) = (try await serve(), try await connect())
        let unique = try #require(server.uniqueName)
        let call = Task.immediate { @DBusActor in
            try await client.call(Echo.never, on: unique, at: "/echo", (), timeout: .seconds(60))
        }
        try await bus.kill()
        await #expect(throws: CallError.disconnected) { try await call.value }
        #expect(!client.isConnected)
    }

    @Test func theBusStartsAService() async throws {
        try await bus.addService(name: "org.example.Never", exec: "/bin/false")
        let client = try await connect()
        #expect(try await client.listActivatableNames().contains("org.example.Never"))
        await #expect(throws: CallError.self) {
            try await client.startService(BusName("org.example.Never"), timeout: .seconds(10))
        }
    }

    @Test func otherProgramsCanReadTheIntrospection() async throws {
        let server = try await serve()
        _ = try await server.requestName(name)
        let seen = try await RunningProcess.run(
            "busctl", ["--user", "introspect", name.text, "/echo"], environment: bus.environment
        ).succeeded()
        #expect(seen.output.contains("Echo") && seen.output.contains("Greeting") && seen.output.contains("tt"))
        let ping = try await RunningProcess.run(
            "busctl", ["--user", "call", name.text, "/echo", "org.freedesktop.DBus.Peer", "Ping"],
            environment: bus.environment
        ).succeeded()
        #expect(ping.status == .success)
    }

    @Test func aMissingBusIsReportedInOneSentence() async throws {
        for address in ["unixexec:path=/bin/false", "unix:path=/nowhere/bus", "unix:tmpdir=/tmp", "unix", ""] {
            await #expect(throws: ConnectionError.self, "\(address)") {
                try await Connection.open(.address(address))
            }
        }
    }
}
