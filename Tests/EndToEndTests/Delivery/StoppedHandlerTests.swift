import Glibc
import IPCDBus
import IPCInterface
import IPCModel
import IPCTesting
import Testing

/// I15, I16: a stopped handler costs the bus next to nothing, however much is queued for it, and gets everything in the
/// end.
@DBusActor
@Suite(.privateBus, .serialized)
struct StoppedHandlerTests {
    private nonisolated static let senders = 8
    private nonisolated static let requests = TestSize.pick(small: 400, full: 10_000)
    /// The number of requests that the broker accepts, which is lower than the number that the senders try to queue.
    private nonisolated static let limit = requests * 4 / 5
    private nonisolated static let stop = TestSize.pick(small: Duration.zero, full: .seconds(60))
    /// The maximum growth of the bus's memory due to messages queued for slow readers.
    private nonisolated static let bound = 16 << 20

    @Test(.enabled(if: BusImplementation.current == .daemon, "the memory of dbus-daemon is measured"))
    func `I15, I16: requests for a stopped handler wait in the broker and are delivered in order`() async throws {
        var settings = BrokerProcess.Settings()
        settings.arguments = ["--limit", "pending-requests-per-handler=\(Self.limit)"]
        let broker = try await BrokerProcess.start(settings)
        let good = try await TestHandler("org.example.Good", "good.example")
        let handler = try await HandlerProgram()
        let process = try await handler.start(window: 64)
        let victim = try await BrokerClient()
        _ = try await victim.open("good.example:x")
        let bus = ProcessStatus(pid: try PrivateBus.current.pid)
        let base = try bus.residentAnonymousBytes
        process.signal(SIGSTOP)
        defer { process.signal(SIGCONT) }
        let begin = ContinuousClock.now
        let queued = Observed<[DeliveryHistory.Request]>([])
        let latency = try await queueAll(handler, queued, victim, until: begin + Self.stop)
        let grown = try bus.residentAnonymousBytes - base
        let requests = queued.value
        let accepted = requests.count { $0.acceptance == .accepted }
        let held = ContinuousClock.now - begin
        process.signal(SIGCONT)
        try await handler.log.waitForRequests(accepted, deadline: .seconds(300))
        let time = ContinuousClock.now - begin - held
        print(
            "stopped handler: \(requests.count) tried, \(accepted) accepted, \(held) stopped, the bus grew by \(grown) "
                + "bytes, another client \(latency), then \(time) for all")
        #expect(grown < Self.bound)
        #expect(latency.p99 < Latency.bound)
        #expect(accepted == Self.limit)
        try await expectEnds(requests, handler, victim)
        withExtendedLifetime((broker, good)) {}
    }

    /// Queues all requests from several senders, and measures another client's latency meanwhile, at least until `end`.
    private func queueAll(
        _ handler: HandlerProgram, _ queued: Observed<[DeliveryHistory.Request]>, _ victim: BrokerClient,
        until end: ContinuousClock.Instant
    ) async throws -> Latency {
        let isOver = Observed(false)
        let measuring = Task {
            try await Latency.measure("good.example:x", by: victim) { _ in
                !isOver.value || ContinuousClock.now < end
            }
        }
        defer { isOver.update { $0 = true } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<Self.senders {
                group.addTask { try await Self.queue(sender, handler, queued) }
            }
            try await group.waitForAll()
        }
        isOver.update { $0 = true }
        return try await measuring.value
    }

    private static func queue(
        _ sender: Int, _ handler: HandlerProgram, _ queued: Observed<[DeliveryHistory.Request]>
    ) async throws {
        let client = try await BrokerClient()
        let source = "org.example.Sender\(sender)"
        for place in 0..<requests / senders {
            let text = "\(source) \(place) " + String(repeating: "x", count: 2_000)
            let url = handler.url("\(source)/\(place)")
            var options = OpenURLOptions()
            options.id = RequestID.random().text
            options.queue = true
            options.sourceApplication = source
            options.items = [.string(text)]
            var request = DeliveryHistory.Request(
                id: options.id ?? "", source: source, handler: handler.application, place: place,
                content: "\(url) \(PayloadSum.text(text))")
            do throws(CallError) {
                _ = try await client.call(URLs1.openURL, (url, options))
            } catch {
                guard error.word == "LimitExceeded" else { throw error }
                request.acceptance = .refused
                // The message names the limit and its value.
                let sentence = "\(error)"
                #expect(sentence.contains("pending-requests-per-handler") && sentence.contains("\(limit)"))
            }
            queued.update { [request] in $0.append(request) }
        }
    }

    private func expectEnds(
        _ requests: [DeliveryHistory.Request], _ handler: HandlerProgram, _ client: BrokerClient
    ) async throws {
        var ends: [DeliveryHistory.End] = []
        for request in requests where request.acceptance == .accepted {
            let end = try await client.call(URLs1.waitRequest, (request.id, WaitRequestOptions()))
            ends.append(.init(id: request.id, outcome: end.outcome ?? "", code: end.errorCode ?? ""))
        }
        let history = DeliveryHistory(
            requests: requests, deliveries: [handler.application: try handler.log.read().deliveries], ends: ends)
        #expect(DeliveryChecker.check(history) == [])
        #expect(history.duplicates == 0)
    }
}
