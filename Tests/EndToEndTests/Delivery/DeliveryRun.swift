import Glibc
import IPCDBus
import IPCInterface
import IPCTesting

/// Many senders that queue requests for a few handlers, which the bus starts. Broker and handlers are killed again and
/// again, and some requests crash their handler.
@DBusActor
final class DeliveryRun {
    struct Size: Sendable {
        var senders: Int
        /// The number of requests of each sender; more, if these end before the last planned kill of a handler.
        var requests: Int
        var handlers = 4
        /// The number of times that the broker is killed.
        var brokerKills: Int
        /// The number of times that each handler is killed.
        var handlerKills: Int
        /// One in this many requests crashes its handler at every delivery.
        var killers = 500
    }

    struct Report: CustomStringConvertible {
        let size: Size
        let seed: UInt64
        let duration: Duration
        let history: DeliveryHistory
        /// The number of requests that the senders sent: at least those of ``Size``.
        let sent: Int
        /// The number of handler starts.
        let starts: Int
        /// The number of times that a handler was killed; crashes do not count.
        let kills: Int
        let violations: [DeliveryViolation]

        var description: String {
            let killers = history.requests.count { $0.kills }
            let parked = Set(history.ends.filter(\.isParked).map(\.id)).count
            return
                "\(size.senders) senders × \(size.requests) requests (\(sent) in all) to \(size.handlers) handlers, "
                + "\(size.brokerKills) kills of the broker, \(size.handlerKills) of each handler, \(killers) requests "
                + "that kill, \(parked) parked, \(starts) starts, \(history.duplicates) duplicates, \(duration), "
                + "IPC_TEST_SEED=\(seed)" + violations.prefix(10).map { "\n\($0.kind.rawValue): \($0)" }.joined()
        }
    }

    private let size: Size
    private let broker: BrokerProcess
    private let handlers: [HandlerProgram]
    private var senders: [DeliverySender] = []
    private let lives = BrokerLives()
    private let progress = Observed(DeliveryProgress())

    /// - Parameter settings: the broker's settings, such as a deliberate defect.
    static func run(
        _ size: Size, _ generator: SeededGenerator, _ settings: BrokerProcess.Settings = .init()
    ) async throws -> Report {
        let run = try await DeliveryRun(size, settings)
        return try await run.all(generator)
    }

    private init(_ size: Size, _ settings: BrokerProcess.Settings) async throws {
        self.size = size
        let bus = try PrivateBus.current
        broker = try await BrokerProcess.start(on: bus, settings)
        let client = try await BrokerClient(bus)
        var handlers: [HandlerProgram] = []
        for number in 0..<size.handlers {
            let handler = try await HandlerProgram(number, on: bus)
            try await handler.install(client, window: number % 2 == 0 ? 1 : 8)
            handlers.append(handler)
        }
        self.handlers = handlers
        for number in 0..<size.senders {
            senders.append(try await DeliverySender(number, to: handlers, on: bus, lives, progress))
        }
    }

    private func all(_ generator: SeededGenerator) async throws -> Report {
        var generator = generator
        let seed = generator.seed
        let begin = ContinuousClock.now
        let size = size
        let senders = senders
        try await withThrowingTaskGroup(of: Void.self) { group in
            let killer = generator.split()
            group.addTask { try await self.killBroker(killer) }
            for sender in senders {
                let own = generator.split()
                group.addTask {
                    try await sender.run(
                        size.requests, killers: size.killers, until: size.handlers * size.handlerKills, own)
                }
            }
            // If the run fails, a task that kills a handler may wait forever, because the handler has no requests left.
            let killing = handlers.map { handler in
                let killer = generator.split()
                return Task { try await self.kill(handler, killer) }
            }
            defer { for task in killing { task.cancel() } }
            try await group.waitForAll()
        }
        let duration = ContinuousClock.now - begin
        for sender in senders { try await sender.askAgain() }
        let history = try await history()
        return Report(
            size: size, seed: seed, duration: duration, history: history, sent: senders.reduce(0) { $0 + $1.requests },
            starts: handlers.reduce(0) { $0 + $1.log.entries.starts.count }, kills: progress.value.handlerKills,
            violations: DeliveryChecker.check(history))
    }

    /// Kills the broker at random points of the run, and starts it again.
    private func killBroker(_ generator: SeededGenerator) async throws {
        var generator = generator
        // No kill is planned for the last tenth of the steps, so that the broker still has requests to lose at every
        // kill.
        let all = size.senders * size.requests * 9 / 5
        for moment in (0..<size.brokerKills).map({ _ in Int.random(in: 1..<all, using: &generator) }).sorted() {
            try await withDeadline("progress of \(moment) steps", limit: .seconds(900)) { [progress] in
                try await progress.wait { $0.steps >= moment ? () : nil }
            }
            for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
            try await broker.restart()
            lives.began()
        }
    }

    /// Kills a handler when its process has answered a random number of requests.
    ///
    /// Every process answers at least two requests before it is killed. By then, the request that the previous kill
    /// interrupted has ended. So these kills never interrupt a request three times, which would park it.
    private func kill(_ handler: HandlerProgram, _ generator: SeededGenerator) async throws {
        var generator = generator
        let all = size.senders * size.requests / size.handlers
        var killed: Int32?
        for number in 0..<size.handlerKills {
            let answers = Int.random(in: 2...max(2, all / size.handlerKills / 4), using: &generator)
            let before = handler.log.record.answers
            try await handler.log.wait("\(answers) answers before kill \(number)", deadline: .seconds(900)) {
                [killed] log in
                log.process != killed && log.answersOfProcess >= 2 && log.answers - before >= answers
            }
            for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
            killed = handler.log.record.process
            if let killed { try await ProcessStatus(pid: killed).kill9() }
            progress.update { $0.handlerKills += 1 }
        }
    }

    private func history() async throws -> DeliveryHistory {
        let progress = progress.value
        var deliveries: [String: [DeliveryHistory.Delivery]] = [:]
        for handler in handlers { deliveries[handler.application] = try handler.log.read().deliveries }
        return DeliveryHistory(requests: progress.requests, deliveries: deliveries, ends: progress.ends)
    }
}
