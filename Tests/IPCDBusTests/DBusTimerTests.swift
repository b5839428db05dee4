import IPCTesting
import Testing

@testable import IPCDBus

@DBusActor
struct DBusTimerTests {
    @Test func aTimerActionMaySetAndCancelTimers() async throws {
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

    @Test func `many timers that are due together run in slices, with other work in between`() async throws {
        let ran = Collected<Int>()
        let others = Collected<Int>()
        let deadline = ContinuousClock.now
        let timers = (0..<640).map { _ in DBusTimer() }
        for (place, timer) in timers.enumerated() {
            timer.set(at: deadline) {
                if place == 0 { DBusActor.thread.soon { others.add(ran.elements.count) } }
                ran.add(place)
            }
        }
        #expect(try await ran.wait(for: 640) == Array(0..<640))
        let between = try #require(try await others.wait(for: 1).first)
        #expect(between <= Slices.size)
    }

    @Test func `work on many entries runs in slices and in order`() async throws {
        let ran = Collected<Int>()
        Slices.forEach(Array(0..<1_000)) { ran.add($0) }
        #expect(ran.elements.count == Slices.size)
        #expect(try await ran.wait(for: 1_000) == Array(0..<1_000))
    }
}
