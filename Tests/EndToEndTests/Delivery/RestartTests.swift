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

    private typealias Disturbance = @Sendable (_ number: Int, BrokerProcess, PrivateBus) async throws -> Void

    /// The results of one sender.
    private struct Sent: Sendable {
        var count = 0
        var slowest = Duration.zero
        var ends: [DeliveryHistory.End] = []
        var requests: [DeliveryHistory.Request] = []
    }

    @Test func `I24: restarts of broker and bus under load are only a delay`() async throws {
        var generator = SeededGenerator.forTest("restarts")
        let count = Self.brokerRestarts + Self.busRestarts
        let ofBus = Set((0..<count).shuffled(using: &generator).prefix(Self.busRestarts))
        try await disturb(times: count) { number, broker, bus in
            if ofBus.contains(number) { try await bus.startAgain() }
            // The broker exits when its bus does, so it is started again too.
            try await broker.restart()
        }
    }

    @Test func `I24: replacements of the broker under load are only a delay`() async throws {
        try await disturb(times: Self.brokerRestarts) { _, broker, _ in
            let status = try await broker.replace()
            #expect(status == .success)
        }
    }

    /// Sends requests while something happens again and again, and checks that each request gets one outcome in time.
    private func disturb(times: Int, by disturbance: @escaping Disturbance) async throws {
        let bus = try PrivateBus.current
        let broker = try await BrokerProcess.start()
        let handler = try await Application.connect(
            id: "demo.Restarted", schemes: ["restarted.demo"], window: 4, bus: .address(bus.address))
        let deliveries = Observed<[DeliveryHistory.Delivery]>([])
        let sent = Observed(Sent())
        let isOver = Observed(false)
        let receiving = Task { try await Self.receive(handler, deliveries) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.senders {
                group.addTask { try await Self.send(number, bus, sent, until: isOver) }
            }
            group.addTask {
                defer { isOver.update { $0 = true } }
                try await Self.repeatedly(times, sent) { try await disturbance($0, broker, bus) }
            }
            try await group.waitForAll()
        }
        await handler.close()
        try await receiving.value
        let done = sent.value
        print(
            "\(times) disturbances, \(done.count) requests, slowest \(done.slowest), "
                + "\(deliveries.value.count - done.count) duplicates")
        #expect(done.slowest < Self.longest)
        let history = DeliveryHistory(
            requests: done.requests, deliveries: ["demo.Restarted": deliveries.value], ends: done.ends)
        #expect(DeliveryChecker.check(history) == [])
        #expect(done.count >= times * Self.requests)
    }

    /// Runs `body` several times, each time after some requests have ended.
    private static func repeatedly(
        _ times: Int, _ sent: Observed<Sent>, _ body: @Sendable (Int) async throws -> Void
    ) async throws {
        for number in 0..<times {
            let before = sent.value.count
            try await withDeadline("requests before disturbance \(number)") {
                try await sent.wait { $0.count >= before + requests ? () : nil }
            }
            try await body(number)
        }
        let before = sent.value.count
        try await withDeadline("requests after the last disturbance") {
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
