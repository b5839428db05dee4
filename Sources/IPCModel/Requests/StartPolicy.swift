/// When a handler that is not running may be started, or one that left without an answer may get something again.
///
/// Two rules: a handler that fails again and again is left alone for longer and longer (back-off), and none is started
/// more than so many times in a period without an answer in between (breaker). A program that is started for each request,
/// answers and ends is held back by neither. Times are milliseconds of one clock.
package struct StartPolicy: Sendable, Hashable {
    private let most: Int
    private let period: UInt64
    private let backOff: ClosedRange<UInt64>
    /// When it was started within the last period and has not answered since, oldest first.
    private var starts: [UInt64] = []
    private var failures = 0
    /// Nothing before this time, because of what failed last.
    private var notBefore: UInt64 = 0
    /// Why the handler was left alone last, as a sentence.
    package private(set) var reason = ""

    package init(limits: Limits) {
        most = Int(limits.activationStarts)
        period = limits.activationPeriodMilliseconds
        backOff = limits.backOffMilliseconds...max(limits.backOffMilliseconds, limits.backOffMostMilliseconds)
    }

    /// How often the handler has failed without an answer in between.
    package var failureCount: Int { failures }

    /// The earliest time at which the handler may get something, from `now` on.
    package func nextUse(at now: UInt64) -> UInt64 { max(now, notBefore) }

    /// The earliest time at which the handler may be started, from `now` on.
    package func nextStart(at now: UInt64) -> UInt64 {
        let use = nextUse(at: now)
        guard starts.count >= most else { return use }
        return max(use, starts[starts.count - most] + period)
    }

    /// Notes that it is started.
    package mutating func started(at now: UInt64) {
        starts.removeAll { $0 + period <= now }
        starts.append(now)
    }

    /// Notes that it could not be started, or left without an answer.
    package mutating func failed(at now: UInt64, because reason: String) {
        failures += 1
        self.reason = reason
        let doubled = backOff.lowerBound << UInt64(min(failures - 1, 30))
        notBefore = now + min(doubled, backOff.upperBound)
    }

    /// Notes that it gave an answer.
    package mutating func answered() {
        (failures, notBefore) = (0, 0)
        starts.removeAll()
    }

    /// Whether there is nothing to remember.
    package func isQuiet(at now: UInt64) -> Bool {
        notBefore <= now && (starts.last.map { $0 + period <= now } ?? true)
    }
}
