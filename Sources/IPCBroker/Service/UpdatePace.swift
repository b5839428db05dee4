/// Decides when to report something that changes: at once, but not again before an interval has passed.
struct UpdatePace {
    private let interval: Duration
    private var earliest: ContinuousClock.Instant?
    private var isExpected = false

    init(interval: Duration) { self.interval = interval }

    /// Notes a change.
    /// - Returns: when to report; `nil` if an earlier change has already led to a time that has not come.
    mutating func changed(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !isExpected else { return nil }
        isExpected = true
        return earliest.map { max($0, now) } ?? now
    }

    /// Notes that the report begins. Later changes need another one.
    mutating func reports(at now: ContinuousClock.Instant) {
        isExpected = false
        earliest = now + interval
    }
}
