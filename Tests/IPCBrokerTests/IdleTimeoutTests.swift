import Testing

@testable import IPCBroker

@Suite struct IdleTimeoutTests {
    private let start = ContinuousClock.now

    private func time(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// A time-out of 10 s that has been used at the start and has reached its deadline.
    private func examining() -> IdleTimeout {
        var timeout = IdleTimeout(.seconds(10), now: start)
        #expect(timeout.used(at: time(0)) == .wait(until: time(10)))
        #expect(timeout.reached(time(10)) == .examine)
        return timeout
    }

    @Test func `a broker that nobody uses and that holds nothing exits after the time`() {
        var timeout = examining()
        #expect(timeout.examined(holdsNothing: true) == .exit)
    }

    @Test func `each use moves the deadline, without a new timer`() {
        var timeout = IdleTimeout(.seconds(10), now: start)
        #expect(timeout.used(at: time(0)) == .wait(until: time(10)))
        #expect(timeout.used(at: time(4)) == .nothing && timeout.used(at: time(7)) == .nothing)
        #expect(timeout.reached(time(10)) == .wait(until: time(17)))
        #expect(timeout.reached(time(17)) == .examine)
    }

    @Test func `a broker that holds something rests until its next use`() {
        var timeout = examining()
        #expect(timeout.examined(holdsNothing: false) == .nothing)
        // Nothing happens by itself.
        #expect(timeout.reached(time(100)) == .nothing && timeout.examined(holdsNothing: true) == .nothing)
        #expect(timeout.used(at: time(100)) == .wait(until: time(110)))
    }

    @Test(arguments: [false, true])
    func `a use during the examination makes its result worthless`(holdsNothing: Bool) {
        var timeout = examining()
        #expect(timeout.used(at: time(11)) == .nothing)
        #expect(timeout.examined(holdsNothing: holdsNothing) == .wait(until: time(21)))
    }
}
