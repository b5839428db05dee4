/// Decides when a broker that holds nothing exits. Takes events, and returns what to do next. Nothing is repeated: if the
/// broker holds something at the deadline, the next use starts the next deadline.
struct IdleTimeout {
    enum Action: Equatable {
        case nothing
        /// Report ``reached(_:)`` at this time.
        case wait(until: ContinuousClock.Instant)
        /// Find out whether the broker holds something, and report ``examined(holdsNothing:)``.
        case examine
        case exit
    }

    private enum State: Equatable {
        case resting
        case waiting
        /// The broker is being examined, after this last use.
        case examining(ContinuousClock.Instant)
    }

    private let time: Duration
    private var state = State.resting
    private var lastUse: ContinuousClock.Instant

    /// - Parameter time: how long nobody must have used the broker.
    init(_ time: Duration, now: ContinuousClock.Instant) { (self.time, lastUse) = (time, now) }

    /// A call has arrived or been answered, or something that the broker held has gone.
    mutating func used(at now: ContinuousClock.Instant) -> Action {
        lastUse = now
        return state == .resting ? wait() : .nothing
    }

    mutating func reached(_ now: ContinuousClock.Instant) -> Action {
        guard state == .waiting else { return .nothing }
        guard now >= lastUse + time else { return wait() }
        state = .examining(lastUse)
        return .examine
    }

    mutating func examined(holdsNothing: Bool) -> Action {
        guard case .examining(let use) = state else { return .nothing }
        guard use == lastUse else { return wait() }
        state = .resting
        return holdsNothing ? .exit : .nothing
    }

    private mutating func wait() -> Action {
        state = .waiting
        return .wait(until: lastUse + time)
    }
}
