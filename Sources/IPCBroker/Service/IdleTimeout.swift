/// Decides when a broker that holds nothing exits. Takes events, and returns what to do next. Nothing is repeated: if the
/// broker holds something at the deadline, the next event starts the next deadline.
struct IdleTimeout {
    enum Action: Equatable {
        case nothing
        /// Report ``reached(_:)`` at this time.
        case wait(until: ContinuousClock.Instant)
        /// Find out whether the broker holds something, and report ``examined(holdsNothing:at:)``.
        case examine
        case exit
    }

    private enum State: Equatable {
        case resting
        case waiting
        /// The broker is being examined, after this number of events.
        case examining(UInt64)
    }

    private let time: Duration
    private var state = State.resting
    private var lastUse: ContinuousClock.Instant
    private var events: UInt64 = 0

    /// - Parameter time: how long no program must have used the broker.
    init(_ time: Duration, now: ContinuousClock.Instant) { (self.time, lastUse) = (time, now) }

    /// A call has arrived or been answered.
    mutating func used(at now: ContinuousClock.Instant) -> Action {
        lastUse = now
        return released(at: now)
    }

    /// Something that the broker held may be gone. This does not move a deadline: on a busy bus, it happens often.
    mutating func released(at now: ContinuousClock.Instant) -> Action {
        events += 1
        return state == .resting ? wait(from: now) : .nothing
    }

    mutating func reached(_ now: ContinuousClock.Instant) -> Action {
        guard state == .waiting else { return .nothing }
        guard now >= lastUse + time else { return wait(from: lastUse) }
        state = .examining(events)
        return .examine
    }

    mutating func examined(holdsNothing: Bool, at now: ContinuousClock.Instant) -> Action {
        guard case .examining(let before) = state else { return .nothing }
        guard events == before else { return wait(from: now) }
        state = .resting
        return holdsNothing ? .exit : .nothing
    }

    private mutating func wait(from start: ContinuousClock.Instant) -> Action {
        state = .waiting
        return .wait(until: start + time)
    }
}
