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

    @Test func `a broker that no program uses and that holds nothing exits after the time`() {
        var timeout = examining()
        #expect(timeout.examined(holdsNothing: true, at: time(10)) == .exit)
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
        #expect(timeout.examined(holdsNothing: false, at: time(10)) == .nothing)
        // Nothing happens by itself.
        #expect(timeout.reached(time(100)) == .nothing)
        #expect(timeout.examined(holdsNothing: true, at: time(100)) == .nothing)
        #expect(timeout.used(at: time(100)) == .wait(until: time(110)))
    }

    @Test(arguments: [false, true])
    func `a use during the examination makes its result worthless`(holdsNothing: Bool) {
        var timeout = examining()
        #expect(timeout.used(at: time(11)) == .nothing)
        #expect(timeout.examined(holdsNothing: holdsNothing, at: time(11)) == .wait(until: time(21)))
    }

    @Test func `the end of something that the broker held does not move a deadline, but starts one`() {
        var timeout = IdleTimeout(.seconds(10), now: start)
        #expect(timeout.used(at: time(0)) == .wait(until: time(10)))
        #expect(timeout.released(at: time(4)) == .nothing)
        #expect(timeout.reached(time(10)) == .examine)
        #expect(timeout.examined(holdsNothing: false, at: time(10)) == .nothing)
        #expect(timeout.released(at: time(14)) == .wait(until: time(24)))
        #expect(timeout.reached(time(24)) == .examine)
        #expect(timeout.examined(holdsNothing: true, at: time(24)) == .exit)
    }

    @Test func `what is released during an examination leads to another one`() {
        var timeout = examining()
        #expect(timeout.released(at: time(11)) == .nothing)
        #expect(timeout.examined(holdsNothing: false, at: time(12)) == .wait(until: time(22)))
    }

    /// The bus might start a broker with other options than a person.
    @Test(arguments: ["DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "NOTIFY_SOCKET", "HOME"])
    func `only a broker that the bus or systemd has started exits by itself`(variable: String) {
        var configuration = BrokerConfiguration(store: "/store")
        configuration.idleTimeoutMilliseconds = 50
        #expect(configuration.idleTime == nil)
        configuration.environment[variable] = "x"
        #expect(configuration.idleTime == (variable == "HOME" ? nil : .milliseconds(50)))
        configuration.idleTimeoutMilliseconds = 0
        #expect(configuration.idleTime == nil)
    }
}
