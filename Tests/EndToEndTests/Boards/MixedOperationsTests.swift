import IPCTesting
import Testing

/// I1, I2, I10, I11 and I12 hold for all concurrent operations, whenever the broker is killed.
@Suite(.privateBus, .serialized)
struct MixedOperationsTests {
    private static let size = MixedOperations.Size(
        clients: TestSize.pick(small: 16, full: 64), operations: TestSize.pick(small: 60, full: 500),
        kills: TestSize.pick(small: 4, full: 40))

    @Test func `I10, I11, I12: after random kills, pasteboards match their history`() async throws {
        let report = try await MixedOperations.run(Self.size, SeededGenerator.forTest("mixed operations"))
        print("mixed operations: \(report)")
        #expect(report.violations.isEmpty)
        #expect(report.history.operations.count >= Self.size.clients * Self.size.operations)
        for (kind, count) in report.history.kinds { #expect(count > 0, "\(kind)") }
    }

    /// Negative controls: the same run finds each deliberate mistake of a client.
    @Test(arguments: BoardMistake.allCases)
    func `a faulty client is found`(mistake: BoardMistake) async throws {
        // A lost update shows only if a compare-and-set succeeds, which happens more often with fewer clients.
        let size =
            mistake == .lostUpdate
            ? MixedOperations.Size(clients: 5, operations: 800, boards: 1, kills: 0)
            : MixedOperations.Size(clients: 16, operations: 200, boards: 1, kills: 0)
        let report = try await MixedOperations.run(
            size, SeededGenerator.forTest(mistake.rawValue), mistake: mistake)
        print("\(mistake.rawValue): \(report.violations.count) violations in \(report.duration)")
        #expect(report.violations.contains { mistake.kinds.contains($0.kind) }, "\(report)")
    }
}

extension BoardMistake {
    /// The kinds of violations that this mistake can cause.
    fileprivate var kinds: Set<HistoryViolation.Kind> {
        switch self {
        case .lostUpdate: [.lostUpdate]
        case .tornRead: [.mixed]
        case .doubleTake: [.takenTwice]
        case .countTakenBack: [.lost, .countFell]
        }
    }
}

extension History {
    /// The number of successful operations, by kind.
    fileprivate var kinds: [String: Int] {
        var kinds = ["set": 0, "compare-and-set": 0, "add": 0, "get": 0, "take": 0, "clear": 0]
        for operation in operations where operation.result != .unknown && operation.result != .refused {
            switch operation.action {
            case .set(_, nil): kinds["clear", default: 0] += 1
            case .set: kinds["set", default: 0] += 1
            case .compareAndSet: kinds["compare-and-set", default: 0] += 1
            case .append: kinds["add", default: 0] += 1
            case .get: kinds["get", default: 0] += 1
            case .take: kinds["take", default: 0] += 1
            case .add, .list: break
            }
        }
        return kinds
    }
}
