import Testing

@testable import IPCModel

@Suite("When a handler may be started")
struct HandlerFailuresTests {
    private var limits: Limits {
        var limits = Limits()
        (limits.backOffMilliseconds, limits.backOffMostMilliseconds) = (100, 1_000)
        (limits.activationStarts, limits.activationPeriodMilliseconds) = (3, 10_000)
        return limits
    }

    @Test("The time between starts doubles with each failure, up to the maximum")
    func backOff() {
        var policy = HandlerFailures(limits: limits)
        var waits: [UInt64] = []
        for round in 0..<6 {
            let now = UInt64(round) * 100_000
            policy.failed(at: now, because: "it ended")
            waits.append(policy.nextUse(at: now) - now)
        }
        #expect(waits == [100, 200, 400, 800, 1_000, 1_000])
        #expect(policy.failureCount == 6 && policy.reason == "it ended")
    }

    @Test("An answer ends the back-off")
    func answer() {
        var policy = HandlerFailures(limits: limits)
        policy.failed(at: 0, because: "")
        policy.failed(at: 0, because: "")
        policy.answered()
        #expect(policy.nextUse(at: 0) == 0)
        policy.failed(at: 0, because: "")
        #expect(policy.nextUse(at: 0) == 100)
    }

    @Test("A start that led to an answer does not count")
    func fruitfulStarts() {
        var policy = HandlerFailures(limits: limits)
        for now in 0..<100 as Range<UInt64> {
            #expect(policy.nextStart(at: now) == now)
            policy.started(at: now)
            policy.answered()
        }
    }

    @Test("The starts in a period without an answer are limited")
    func breaker() {
        var policy = HandlerFailures(limits: limits)
        for now in [0, 1_000, 2_000] as [UInt64] {
            #expect(policy.nextStart(at: now) == now)
            policy.started(at: now)
        }
        #expect(policy.nextStart(at: 3_000) == 10_000)
        #expect(policy.nextUse(at: 3_000) == 3_000, "one that runs is not concerned")
        policy.started(at: 10_000)
        #expect(policy.nextStart(at: 10_000) == 11_000)
    }

    @Test("A handler is forgotten when no pause holds")
    func quiet() {
        var policy = HandlerFailures(limits: limits)
        #expect(policy.isQuiet(at: 0))
        policy.started(at: 0)
        #expect(!policy.isQuiet(at: 9_999) && policy.isQuiet(at: 10_000))
        policy.failed(at: 10_000, because: "")
        #expect(!policy.isQuiet(at: 10_099) && policy.isQuiet(at: 10_100))
    }

    @Test("However often it fails, no number overflows")
    func manyFailures() {
        var policy = HandlerFailures(limits: limits)
        for _ in 0..<10_000 { policy.failed(at: 5, because: "") }
        #expect(policy.nextUse(at: 5) == 1_005)
    }
}
