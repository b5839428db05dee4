import IPCTesting
import Testing

/// I1, I6, I7, I8: many senders queue requests while the broker and the handlers are killed again and again.
@Suite(.privateBus, .serialized)
struct DeliveryRunTests {
    private static let size = DeliveryRun.Size(
        senders: TestSize.pick(small: 8, full: 32), requests: TestSize.pick(small: 60, full: 1_000),
        handlers: TestSize.pick(small: 2, full: 4), brokerKills: TestSize.pick(small: 3, full: 20),
        handlerKills: TestSize.pick(small: 2, full: 20), killers: TestSize.pick(small: 100, full: 500))

    /// A small run starts its handlers often and in quick succession. A large run needs a higher limit on ended
    /// requests per source, because all of its senders are one process and so count as one source.
    private static let arguments = TestSize.pick(
        small: ["--limit", "activation-starts=1000", "--limit", "back-off-milliseconds=5"],
        full: ["--limit", "ended-requests-kept=100000"])

    private func settings(control: String?) -> BrokerProcess.Settings {
        var settings = BrokerProcess.Settings()
        settings.arguments = Self.arguments
        settings.environment = control.map { ["SWIFT_IPC_TEST_CONTROL": $0] } ?? [:]
        return settings
    }

    @Test func `I6, I7, I8: every queued request reaches one outcome, in its queue's order, despite kills`()
        async throws
    {
        let report = try await DeliveryRun.run(
            Self.size, SeededGenerator.forTest("deliveries"), settings(control: nil))
        print("deliveries: \(report)")
        #expect(report.violations.isEmpty)
        #expect(report.history.requests.count == report.sent)
        #expect(report.sent >= Self.size.senders * Self.size.requests)
        #expect(report.kills == Self.size.handlers * Self.size.handlerKills && report.starts > report.kills)
        #expect(report.history.duplicates > 0)
    }

    /// Negative controls: the same run finds the defect of a faulty broker.
    @Test(arguments: DeliveryControl.allCases)
    func `a faulty broker is found`(_ control: DeliveryControl) async throws {
        var size = Self.size
        // Without kills, any violation is due to the defect. Only a broker that forgets requests needs kills to show
        // it.
        (size.handlerKills, size.killers) = (0, .max)
        size.brokerKills = control == .answerBeforeCommit ? 20 : 0
        // Enough requests for a defect that affects one in a hundred.
        size.requests = max(size.requests, 100)
        let report = try await DeliveryRun.run(
            size, SeededGenerator.forTest(control.rawValue), settings(control: control.rawValue))
        print("\(control.rawValue): \(report.violations.count) violations in \(report.duration)")
        #expect(report.violations.contains { control.kinds.contains($0.kind) }, "\(report)")
    }
}

/// Deliberate defects of a broker, with the names under which the broker knows them.
enum DeliveryControl: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case dropOne = "drop-one"
    case deliverTwice = "deliver-twice"
    case reorder
    case answerBeforeCommit = "acknowledge-before-commit"

    var testDescription: String { rawValue }

    /// The kinds of violations that this defect can cause.
    var kinds: Set<DeliveryViolation.Kind> {
        switch self {
        case .dropOne: [.lost, .handledByNobody, .notHandled]
        case .deliverTwice: [.newID]
        case .reorder: [.outOfOrder]
        case .answerBeforeCommit: [.lost, .attemptNotHigher, .newID]
        }
    }
}

/// Tests of the harness itself, with a toy broker that is correct or has one defect.
@Suite(.privateBus, .serialized)
struct ToyDeliveriesTests {
    @Test(arguments: ToyDeliveries.allCases)
    func `a run finds every defect and raises no false alarm`(_ toy: ToyDeliveries) async throws {
        let size = DeliveryRun.Size(
            // A toy broker can reorder requests only if two of them are waiting in one sender queue.
            senders: 6, requests: toy == .reorder ? 240 : 30, handlers: 2,
            // A kill finds uncommitted requests only if there are any at that moment, so this defect needs many kills.
            brokerKills: toy == .answerBeforeCommit ? 16 : toy == .right ? 4 : 0, handlerKills: toy == .right ? 2 : 0,
            killers: toy == .right ? 60 : .max)
        let report = try await DeliveryRun.run(
            size, SeededGenerator.forTest(toy.rawValue), try toy.settings(in: .current))
        print("toy \(toy.rawValue): \(report)")
        switch toy {
        case .right: #expect(report.violations.isEmpty)
        case .dropOne: #expect(report.violations.contains { $0.kind == .notHandled })
        case .deliverTwice: #expect(report.violations.contains { $0.kind == .newID })
        case .reorder: #expect(report.violations.contains { $0.kind == .outOfOrder })
        // The toy broker loses an accepted request, or a request's attempt number.
        case .answerBeforeCommit:
            #expect(
                report.violations.contains { $0.kind == .lost || $0.kind == .attemptNotHigher },
                "\(Set(report.violations.map(\.kind)))")
        }
    }
}
