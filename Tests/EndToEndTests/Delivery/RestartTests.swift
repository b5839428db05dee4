import Glibc
import IPC
import IPCDBus
import IPCTesting
import Testing

/// I24: programs that use the library notice a restart of the broker or the bus only as a delay.
@DBusActor
@Suite(.privateBus, .serialized)
struct RestartTests {
    private nonisolated static let brokerRestarts = TestSize.pick(small: 5, full: 100)
    private nonisolated static let busRestarts = TestSize.pick(small: 2, full: 20)
    private nonisolated static let senders = 4
    /// The maximum delay of a request: far below its time-out, and above the time that the bus and the broker need.
    private nonisolated static let longest = Duration.seconds(10)
    /// The number of requests between two restarts.
    private nonisolated static let requests = 20

    /// The results of one sender.
    private struct Sent: Sendable {
        var count = 0
        var slowest = Duration.zero
        var ends: [DeliveryHistory.End] = []
        var requests: [DeliveryHistory.Request] = []
    }

    @Test func `I24: restarts of broker and bus under load are only a delay`() async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let handler = try await Application.connect(
            id: "demo.Restarted", schemes: ["restarted.demo"], window: 4, bus: .address(bus.address))
        let deliveries = Observed<[DeliveryHistory.Delivery]>([])
        let sent = Observed(Sent())
        let isOver = Observed(false)
        var generator = SeededGenerator.forTest("restarts")
        let receiving = Task { try await Self.receive(handler, deliveries) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.senders {
                group.addTask { try await Self.send(number, bus, sent, until: isOver) }
            }
            let restarting = generator.split()
            group.addTask {
                defer { isOver.update { $0 = true } }
                try await Self.restart(broker, bus, sent, restarting)
            }
            try await group.waitForAll()
        }
        await handler.close()
        try await receiving.value
        let done = sent.value
        print(
            "restarts: \(Self.brokerRestarts) of the broker, \(Self.busRestarts) of the bus, \(done.count) requests, "
                + "slowest \(done.slowest), \(deliveries.value.count - done.count) duplicates")
        #expect(done.slowest < Self.longest)
        let history = DeliveryHistory(
            requests: done.requests, deliveries: ["demo.Restarted": deliveries.value], ends: done.ends)
        #expect(DeliveryChecker.check(history) == [])
        #expect(done.count >= (Self.brokerRestarts + Self.busRestarts) * Self.requests)
    }

    /// Restarts the broker or the bus, in random order, each time after some requests have ended.
    private static func restart(
        _ broker: BrokerProcess, _ bus: PrivateBus, _ sent: Observed<Sent>, _ generator: SeededGenerator
    ) async throws {
        var generator = generator
        let ofBus = Set((0..<brokerRestarts + busRestarts).shuffled(using: &generator).prefix(busRestarts))
        for number in 0..<brokerRestarts + busRestarts {
            let before = sent.value.count
            try await withDeadline("requests before restart \(number)") {
                try await sent.wait { $0.count >= before + requests ? () : nil }
            }
            if ofBus.contains(number) { try await bus.startAgain() }
            // The broker exits when its bus does, so it is started again too.
            try await broker.restart()
        }
        let before = sent.value.count
        try await withDeadline("requests after the last restart") {
            try await sent.wait { $0.count >= before + requests ? () : nil }
        }
    }

    /// Sends requests one after another, queueing every second one, and gets the outcome of each.
    private static func send(
        _ number: Int, _ bus: PrivateBus, _ sent: Observed<Sent>, until isOver: Observed<Bool>
    ) async throws {
        let source = "demo.Sender\(number)"
        let application = try await Application.connect(id: ApplicationID(source), bus: .address(bus.address))
        var place = 0
        while !isOver.value {
            let url = "restarted.demo:\(source)/\(place)"
            var options = OpenOptions()
            options.timeout = .seconds(60)
            options.isQueued = place % 2 == 0
            let begin = ContinuousClock.now
            let accepted = try await application.open(url, options: options)
            let end = options.isQueued ? try await application.request(accepted.id).wait() : accepted
            let time = ContinuousClock.now - begin
            let request = DeliveryHistory.Request(
                id: end.id.text, source: source, handler: "demo.Restarted", place: place, content: url)
            sent.update {
                $0.count += 1
                $0.slowest = max($0.slowest, time)
                $0.requests.append(request)
                $0.ends.append(.init(id: end.id.text, outcome: end.outcome.rawValue, code: end.errorCode ?? ""))
            }
            place += 1
        }
        await application.close()
    }

    private static func receive(
        _ handler: Application, _ deliveries: Observed<[DeliveryHistory.Delivery]>
    ) async throws {
        for try await request in handler.openURLs {
            deliveries.update {
                $0.append(
                    .init(
                        id: request.id.text, attempt: Int(request.attempt), source: request.source.application,
                        content: request.url))
            }
            try await request.finish(.handled)
        }
    }
}

extension RestartTests {
    /// A handler file and a stored claim name the same scheme; whichever is older handles it.
    @Test(arguments: [true, false])
    func `I21: the handler of a scheme stays the same after a restart`(isFileOlder: Bool) async throws {
        let data = try PrivateBus.current.directory.appending("data/swift-ipc/handlers")
        _ = try await RunningProcess.run("mkdir", ["-p", data]).succeeded()
        let file = "\(data)/com.example.File.handler"
        func install() throws { try FileContents.write("[Handler]\nSchemes=both.example;\n", to: file) }
        if isFileOlder { try install() }
        let broker = try await BrokerProcess.start()
        let app = try await Application.connect(
            id: "com.example.Other", bus: .address(try PrivateBus.current.address))
        try await app.register(["both.example"], for: "com.example.Stored", persistent: true)
        if !isFileOlder {
            // File times come from a coarse clock, which may be some milliseconds behind.
            var (now, status) = (timespec(), stat())
            clock_gettime(CLOCK_REALTIME, &now)
            repeat {
                try install()
                stat(file, &status)
            } while (status.st_ctim.tv_sec, status.st_ctim.tv_nsec) <= (now.tv_sec, now.tv_nsec)
            try await app.desktop.reloadClaims()
        }
        // Renewing a claim does not make it newer.
        try await app.register(["both.example"], for: "com.example.Stored", persistent: true)
        let before = try await app.handlers(of: "both.example").map(\.application)
        let older = isFileOlder ? "com.example.File" : "com.example.Stored"
        #expect(before.count == 2 && before.first == older)
        try await broker.restart()
        #expect(try await app.handlers(of: "both.example").map(\.application) == before)
        await app.close()
    }
}
