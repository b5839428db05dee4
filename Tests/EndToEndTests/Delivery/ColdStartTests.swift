import IPCDBus
import IPCTesting
import Testing

/// I7, I8: a handler that must be started, and looks at its calls late, gets every URL, in order, in one process.
@Suite(.privateBus, .serialized)
struct ColdStartTests {
    private static let rounds = TestSize.pick(small: 5, full: 200)
    private static let requests = 100
    /// The maximum time, in seconds, for which the handler owns its name before it reads its calls.
    private static let late = 0.3

    @Test(arguments: [false, true])
    func `I7, I8: a cold start loses and reorders nothing`(queued: Bool) async throws {
        var settings = BrokerProcess.Settings()
        // Each round stops the handler, and the broker must not delay the next start because of that.
        settings.arguments = ["--limit", "activation-starts=1000", "--limit", "back-off-milliseconds=1"]
        let broker = try await BrokerProcess.start(settings)
        let handler = try await HandlerProgram()
        try await handler.install(try await BrokerClient(), window: 4, late: Self.late)
        let peer = try await WirePeer.start()
        let connections = (0..<4).map { "caller\($0)" }
        for connection in connections { try await peer.open(connection) }
        for round in 0..<Self.rounds {
            let urls = try await openAll(round, handler, peer, connections, queued: queued)
            try await expectOneProcess(round, handler, urls)
        }
        withExtendedLifetime(broker) {}
    }

    @Test func `requests for a program that cannot be started are delivered as soon as it can`() async throws {
        let broker = try await BrokerProcess.start()
        let handler = try await HandlerProgram()
        let peer = try await WirePeer.start()
        try await peer.open("caller")
        let id = DeliveryScene.newID()
        let queued = try await peer.call(
            .openURL(
                handler.url("early"), ["id": .s(id), "queue": .b(true), "application": .s(handler.application)]),
            on: "caller")
        #expect(queued["outcome"]?.text == "queued", "\(queued)")
        // Installing the handler makes the bus announce that it can be started, and the broker starts it.
        try await handler.install(try await BrokerClient())
        let end = try await peer.call(.waitRequest(id), on: "caller")
        #expect(end["outcome"]?.text == "handled", "\(end)")
        withExtendedLifetime(broker) {}
    }

    /// Opens all URLs before any is answered, and waits for their outcomes; returns the URLs of each connection.
    private func openAll(
        _ round: Int, _ handler: HandlerProgram, _ peer: WirePeer, _ connections: [String], queued: Bool
    ) async throws -> [[String]] {
        var urls = connections.map { _ in [String]() }
        var opened: [(serial: Int, id: String, connection: String)] = []
        for number in 0..<Self.requests {
            let line = number % connections.count
            let (connection, id) = (connections[line], DeliveryScene.newID())
            urls[line].append(handler.url("\(round)/\(line)/\(number)"))
            let call = WireCall.openURL(
                urls[line].last!, ["id": .s(id), "queue": .b(queued), "timeout": DeliveryScene.longTimeout])
            opened.append((try await peer.send(call, on: connection), id, connection))
        }
        for (serial, id, connection) in opened {
            let answer = try await peer.reply(serial, on: connection)
            let end = queued ? try await peer.call(.waitRequest(id), on: connection) : answer
            #expect(end["outcome"]?.text == "handled", "\(end)")
            #expect(end["attempts"]?.number == 1)
        }
        return urls
    }

    /// Checks that one process got all URLs in order, and stops that process for the next round.
    private func expectOneProcess(_ round: Int, _ handler: HandlerProgram, _ urls: [[String]]) async throws {
        let entries = try handler.log.read()
        #expect(entries.starts.count == round + 1)
        let last = entries.lastIndex { if case .start = $0 { true } else { false } } ?? 0
        let got = Array(entries[last...]).urls
        #expect(got.count == Self.requests)
        for line in urls { #expect(got.filter { line.contains($0) } == line) }
        let pid = try #require(entries.starts.last)
        try await ProcessStatus(pid: pid).kill9()
        try await withDeadline("end of \(handler.application)") {
            while try await PrivateBus.current.hasOwner(handler.application) { try Task.checkCancellation() }
        }
    }
}
