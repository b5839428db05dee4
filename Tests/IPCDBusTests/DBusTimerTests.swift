import IPCDBus
import IPCTesting
import Testing

@DBusActor
struct DBusTimerTests {
    @Test func theActionOfATimerMaySetAndCancelTimers() async throws {
        let (one, other, never) = (DBusTimer(), DBusTimer(), DBusTimer())
        let ran = Collected<String>()
        one.set(at: .now) {
            ran.add("one")
            other.set(at: .now) { ran.add("other") }
            never.cancel()
            one.set(at: .now) { ran.add("one again") }
        }
        never.set(at: .now + .milliseconds(200)) { ran.add("never") }
        #expect(try await ran.wait(for: 3) == ["one", "other", "one again"])
        #expect(never.deadline == nil)
    }

    @Test func timersRunInTheOrderOfTheirDeadlines() async throws {
        let timers = (0..<5).map { _ in DBusTimer() }
        let ran = Collected<Int>()
        let start = ContinuousClock.now
        for (place, timer) in timers.enumerated().reversed() {
            timer.set(at: start + .milliseconds(place * 3)) { ran.add(place) }
        }
        #expect(try await ran.wait(for: 5) == [0, 1, 2, 3, 4])
    }
}
