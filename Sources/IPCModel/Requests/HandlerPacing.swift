/// When a handler may be started, and when it may get a request again that it left unanswered.
///
/// Two rules: a handler that fails again and again has longer and longer pauses (back-off), and the starts of a handler
/// in a period without an answer are limited (breaker). Neither rule delays a program that starts for each request,
/// answers it and ends. Times are milliseconds of one clock.
struct HandlerPacing: Sendable, Hashable {
    private let maximum: Int
    private let period: UInt64
    private let backOff: ClosedRange<UInt64>
    /// The starts within the last period that no answer followed, oldest first.
    private var starts: [UInt64] = []
    /// The failures without an answer in between.
    private(set) var failureCount = 0
    /// The end of the pause after the last failure.
    private var pauseEnd: UInt64 = 0
    /// The reason of the last failure, as a sentence.
    private(set) var reason = ""

    init(limits: Limits) {
        maximum = Int(limits.activationStarts)
        period = limits.activationPeriodMilliseconds
        backOff = limits.backOffMilliseconds...max(limits.backOffMilliseconds, limits.backOffMostMilliseconds)
    }

    /// The earliest time from `now` on at which the handler may get a request again.
    func nextUse(at now: UInt64) -> UInt64 { max(now, pauseEnd) }

    /// The earliest time from `now` on at which the handler may be started.
    func nextStart(at now: UInt64) -> UInt64 {
        let use = nextUse(at: now)
        guard starts.count >= maximum else { return use }
        return max(use, starts[starts.count - maximum] + period)
    }

    /// Notes that the handler is started.
    mutating func started(at now: UInt64) {
        starts.removeAll { $0 + period <= now }
        starts.append(now)
    }

    /// Notes that the handler could not be started, or left without an answer.
    mutating func failed(at now: UInt64, because reason: String) {
        failureCount += 1
        self.reason = reason
        let doubled = backOff.lowerBound << UInt64(min(failureCount - 1, 30))
        pauseEnd = now + min(doubled, backOff.upperBound)
    }

    /// Notes an answer of the handler.
    mutating func answered() {
        (failureCount, pauseEnd) = (0, 0)
        if !starts.isEmpty { starts.removeAll(keepingCapacity: true) }
    }

    /// Whether there is nothing to remember.
    func isQuiet(at now: UInt64) -> Bool {
        pauseEnd <= now && (starts.last.map { $0 + period <= now } ?? true)
    }

    /// The reason why a handler is not started now; nil if it may be started, or after a short pause.
    func refusal(of application: ApplicationID, at now: UInt64) -> String? {
        let next = nextStart(at: now)
        guard next > nextUse(at: now) else {
            guard next > now + 1_000 else { return nil }
            return
                "\(application) failed \(failureCount) times in a row, and is left alone for a while; last: "
                + "\(reason); it is tried again in \(Self.seconds(next - now))"
        }
        let last = reason.isEmpty ? "" : "; last: \(reason)"
        let seconds = Double(period) / 1_000
        return "\(application) was started \(maximum) times within \(seconds) s\(last); it can be started again in "
            + Self.seconds(next - now)
    }

    /// Whole seconds, for people.
    private static func seconds(_ milliseconds: UInt64) -> String { "\((milliseconds + 999) / 1_000) s" }
}
