/// A handler's failures since its last answer, its starts without an answer, and the pauses that follow from them. A
/// failure is a crash, a failed start, or a ``RequestLife/HandlerFailure``. ``RequestLife/crashes`` separately counts
/// the crashes that can park a request. If a handler fails repeatedly, the pauses grow (back-off), and the number of
/// its starts without an answer in a period is limited (breaker). Neither rule delays a program that is started for
/// each request, answers it and exits. Times are milliseconds of one clock.
struct HandlerFailures: Sendable, Hashable {
    private let maximumStarts: Int
    private let period: UInt64
    private let backOff: ClosedRange<UInt64>
    /// The times at which the handler was started since its last answer, oldest first. Each start removes those
    /// that are older than ``period``.
    private var starts: [UInt64] = []
    /// The number of failures since the last answer.
    private(set) var failureCount = 0
    private var pauseEnd: UInt64 = 0
    /// The message of the last failure.
    private(set) var reason = ""

    init(limits: Limits) {
        maximumStarts = Int(limits.activationStarts)
        period = limits.activationPeriodMilliseconds
        backOff = limits.backOffMilliseconds...max(limits.backOffMilliseconds, limits.backOffMostMilliseconds)
    }

    /// The earliest time, not before `now`, at which the handler may get another request.
    func nextUse(at now: UInt64) -> UInt64 { max(now, pauseEnd) }

    /// The earliest time, not before `now`, at which the handler may be started.
    func nextStart(at now: UInt64) -> UInt64 {
        let use = nextUse(at: now)
        guard starts.count >= maximumStarts else { return use }
        return max(use, starts[starts.count - maximumStarts] + period)
    }

    mutating func started(at now: UInt64) {
        starts.removeAll { $0 + period <= now }
        starts.append(now)
    }

    mutating func failed(at now: UInt64, because reason: String) {
        failureCount += 1
        self.reason = reason
        let doubled = backOff.lowerBound << UInt64(min(failureCount - 1, 30))
        pauseEnd = now + min(doubled, backOff.upperBound)
    }

    mutating func answered() {
        (failureCount, pauseEnd) = (0, 0)
        if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
    }

    /// Whether this value can be discarded.
    func isQuiet(at now: UInt64) -> Bool {
        pauseEnd <= now && (starts.last.map { $0 + period <= now } ?? true)
    }

    /// The reason why a handler is not started now; `nil` if it may be started now or after a short pause.
    func refusal(of application: ApplicationID, at now: UInt64) -> String? {
        let next = nextStart(at: now)
        let isLimited = next > nextUse(at: now)
        guard isLimited || next > now + 1_000 else { return nil }
        let wait = "\((next - now + 999) / 1_000) s"
        guard isLimited else {
            return
                "\(application) failed \(failureCount) times in a row; last failure: "
                + "\(reason); it is tried again in \(wait)"
        }
        let last = reason.isEmpty ? "" : "; last failure: \(reason)"
        return "\(application) was started \(maximumStarts) times within \(Double(period) / 1_000) s\(last); "
            + "it can be started again in \(wait)"
    }
}
