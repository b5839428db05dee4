import IPCTesting
import Testing

/// Checks that the delivery checker finds each kind of fault, and finds none in a correct history.
@Suite struct DeliveryCheckerTests {
    private typealias Request = DeliveryHistory.Request
    private typealias Delivery = DeliveryHistory.Delivery
    private typealias End = DeliveryHistory.End

    /// Makes a history of requests `r0`, `r1`, … in one sender queue; `killer` gives the positions of the lethal ones.
    private func history(
        _ count: Int, kills: Set<Int> = [], _ deliveries: [Delivery], ends: [End]? = nil
    ) -> DeliveryHistory {
        let requests = (0..<count).map {
            Request(id: "r\($0)", source: "s", handler: "h", place: $0, content: "c\($0)", kills: kills.contains($0))
        }
        return DeliveryHistory(
            requests: requests, deliveries: ["h": deliveries], ends: ends ?? requests.map { End(id: $0.id) })
    }

    private func got(_ place: Int, attempt: Int = 1, process: Int = 1, answer: String? = "handled") -> Delivery {
        Delivery(
            id: "r\(place)", attempt: attempt, source: "s", content: "c\(place)", process: process, answer: answer)
    }

    private func kinds(_ history: DeliveryHistory) -> [DeliveryViolation.Kind] {
        DeliveryChecker.check(history).map(\.kind)
    }

    private let parked = End(id: "r0", outcome: "failed", code: "parked")

    @Test func `requests that arrive once and in order are correct`() {
        #expect(kinds(history(3, [got(0), got(1), got(2)])) == [])
        #expect(history(3, [got(0), got(1), got(2)]).duplicates == 0)
    }

    @Test func `unanswered requests are redelivered before anything newer`() {
        let good = history(
            4,
            [
                got(0), got(1, answer: nil), got(2, answer: nil), got(1, attempt: 2, process: 2),
                got(2, attempt: 2, process: 2), got(3, process: 2),
            ])
        #expect(kinds(good) == [])
        #expect(good.duplicates == 2)
        // Two requests were in flight when the process crashed, and the newer one is redelivered first.
        let swapped = history(
            3,
            [
                got(0, answer: nil), got(1, answer: nil), got(1, attempt: 2, process: 2),
                got(0, attempt: 2, process: 2), got(2, process: 2),
            ])
        #expect(kinds(swapped) == [.passedOver])
        let newer = history(
            3, [got(0), got(1, answer: nil), got(2, process: 2), got(1, attempt: 2, process: 2)])
        #expect(kinds(newer) == [.passedOver])
    }

    @Test func `a request whose answer may be lost may be redelivered late`() {
        #expect(kinds(history(2, [got(0), got(1), got(0, attempt: 2, process: 2)])) == [])
    }

    @Test func `sender queues do not wait for each other`() {
        var history = history(2, [got(1), got(0)])
        #expect(kinds(history) == [.outOfOrder])
        history.requests[0].source = "t"
        history.deliveries["h"]?[1].source = "t"
        #expect(kinds(history) == [])
    }

    @Test func `a lost request is found`() {
        #expect(kinds(history(2, [got(0), got(1)], ends: [End(id: "r0")])) == [.lost])
        var unknown = history(1, [], ends: [])
        #expect(kinds(unknown) == [.lost])
        unknown.requests[0].acceptance = .unknown
        #expect(kinds(unknown) == [])
    }

    @Test func `two outcomes are found, but the same outcome reported twice is correct`() {
        let twice = [End(id: "r0"), End(id: "r0", code: nil)]
        #expect(kinds(history(1, [got(0)], ends: twice)) == [])
        #expect(kinds(history(1, [got(0)], ends: twice + [End(id: "r0", outcome: "timed-out")])) == [.twoEnds])
        #expect(kinds(history(1, [got(0)], ends: twice + [End(id: "r0", code: "late")])) == [.twoEnds])
    }

    @Test func `a request that was not handled is found`() {
        #expect(kinds(history(1, [])) == [.handledByNobody])
        #expect(kinds(history(1, [got(0, answer: nil)])) == [.handledByNobody])
        #expect(kinds(history(1, [got(0, answer: "declined")])) == [.handledByNobody])
        #expect(kinds(history(1, [got(0)], ends: [End(id: "r0", outcome: "expired")])) == [.notHandled])
    }

    @Test func `a rejected request that is delivered is found`() {
        var refused = history(1, [got(0)], ends: [])
        refused.requests[0].acceptance = .refused
        #expect(kinds(refused) == [.refusedButDelivered])
        refused.deliveries = [:]
        #expect(kinds(refused) == [])
        refused.ends = [End(id: "r0")]
        #expect(kinds(refused) == [.refusedButDelivered])
    }

    @Test func `wrong content and a wrong source are found`() {
        var changed = got(0)
        changed.content = "c1"
        #expect(kinds(history(1, [changed])) == [.changed])
        var foreign = got(0)
        foreign.source = "t"
        #expect(kinds(history(1, [foreign])).contains(.changed))
    }

    @Test func `a duplicate under a new id, or without a higher attempt, is found`() {
        var renamed = got(0)
        renamed.id = "r9"
        #expect(kinds(history(1, [got(0), renamed])) == [.newID])
        #expect(kinds(history(1, [got(0), got(0)])) == [.attemptNotHigher])
        #expect(kinds(history(1, [got(0, attempt: 2, answer: nil), got(0, process: 2)])) == [.attemptNotHigher])
    }

    @Test func `a wrong handler is found`() {
        var history = history(1, [got(0)])
        history.deliveries["other"] = [got(0)]
        #expect(kinds(history) == [.wrongHandler])
    }

    @Test func `exactly the requests that crash their handler are parked`() {
        let three = (1...3).map { got(0, attempt: $0, process: $0, answer: nil) }
        #expect(kinds(history(1, kills: [0], three, ends: [parked])) == [])
        #expect(kinds(history(1, three, ends: [parked])) == [.parkedWrongly])
        let failed = End(id: "r0", outcome: "failed", code: "handler-ended")
        #expect(kinds(history(1, kills: [0], three, ends: [failed])) == [.notParked])
    }

    @Test func `a correct broker has no violations, whatever is killed and when`() throws {
        var generator = SeededGenerator.forTest("simulated deliveries")
        for _ in 0..<TestSize.pick(small: 50, full: 1_000) {
            let run = try #require(SimulatedBroker.run(generator: generator.split()))
            #expect(DeliveryChecker.check(run) == [], "IPC_TEST_SEED=\(generator.seed)")
            #expect(run.duplicates > 0)
        }
    }

    @Test(arguments: SimulatedBroker.Mistake.allCases)
    func `each defect of a broker is found`(_ mistake: SimulatedBroker.Mistake) throws {
        var generator = SeededGenerator.forTest(mistake.rawValue)
        var found = 0
        for _ in 0..<TestSize.pick(small: 20, full: 300) {
            // A run in which the simulated broker could not make the mistake proves nothing.
            guard let run = SimulatedBroker.run(mistake: mistake, generator: generator.split()) else { continue }
            let kinds = Set(DeliveryChecker.check(run).map(\.kind))
            #expect(!kinds.isDisjoint(with: mistake.kinds), "\(kinds), IPC_TEST_SEED=\(generator.seed)")
            found += 1
        }
        #expect(found > 0)
    }

    @Test func `a long history is judged quickly`() throws {
        var size = SimulatedBroker.Size()
        (size.sources, size.handlers, size.requests, size.killers) = (8, 1, 250, 500)
        let run = try #require(SimulatedBroker.run(size, generator: SeededGenerator(seed: 1)))
        #expect(run.requests.count == 2_000)
        #expect(DeliveryChecker.check(run) == [])
    }
}

extension SimulatedBroker.Mistake {
    /// The kinds of violations that may report this mistake.
    fileprivate var kinds: Set<DeliveryViolation.Kind> {
        switch self {
        case .dropOne, .answerBeforeCommit: [.lost]
        case .deliverTwice: [.newID]
        case .reorder: [.outOfOrder]
        case .repeatSameAttempt: [.attemptNotHigher]
        // If no handler saw the overtaken request before the crash, its late delivery is its first one, and the
        // checker can report only that it is out of order.
        case .newerFirstAfterCrash: [.passedOver, .outOfOrder]
        case .parkInnocent: [.parkedWrongly]
        case .neverPark: [.notParked]
        case .mixPayloads: [.changed]
        case .handledUndelivered: [.handledByNobody]
        case .twoEnds: [.twoEnds]
        case .deliverRefused: [.refusedButDelivered]
        case .wrongHandler: [.wrongHandler]
        }
    }
}
