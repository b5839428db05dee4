import Testing

@testable import IPCBroker

@Suite struct UpdatePaceTests {
    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `a change after a long time is reported at once, and further ones with it`() {
        var pace = UpdatePace(interval: .seconds(1))
        #expect(pace.changed(at: time(5)) == time(5))
        #expect(pace.changed(at: time(6)) == nil)
        pace.reports(at: time(7))
        #expect(pace.changed(at: time(5_000)) == time(5_000))
    }

    @Test func `a change soon after a report waits until the interval has passed`() {
        var pace = UpdatePace(interval: .seconds(1))
        _ = pace.changed(at: time(0))
        pace.reports(at: time(0))
        #expect(pace.changed(at: time(10)) == time(1_000))
        #expect(pace.changed(at: time(900)) == nil)
        pace.reports(at: time(1_000))
        // Without a change, there is nothing more to report; with one, the next interval applies.
        #expect(pace.changed(at: time(1_001)) == time(2_000))
    }
}
