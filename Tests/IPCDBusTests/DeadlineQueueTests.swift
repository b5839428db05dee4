import IPCTesting
import Testing

@testable import IPCDBus

@Suite struct DeadlineQueueTests {
    private static let start = ContinuousClock.now

    private func instant(_ milliseconds: Int) -> ContinuousClock.Instant {
        Self.start + .milliseconds(milliseconds)
    }

    @Test func `it gives what a sorted list gives, over any order of steps`() {
        var random = SeededGenerator(seed: 7)
        var queue = DeadlineQueue()
        var model: [UInt64: Int] = [:]
        var now = 0
        for number in 0..<UInt64(20_000) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let deadline = now + Int.random(in: 0..<500, using: &random)
                queue.insert(number, at: instant(deadline))
                model[number] = deadline
            case 6..<8:
                guard let gone = model.keys.randomElement(using: &random) else { continue }
                queue.remove(gone)
                queue.remove(gone)
                model[gone] = nil
            default:
                now += Int.random(in: 0..<20, using: &random)
                var due: Set<UInt64> = []
                var last = Int.min
                while let number = queue.takeDue(at: instant(now)) {
                    #expect(model[number]! >= last)
                    last = model[number]!
                    due.insert(number)
                }
                #expect(due == Set(model.filter { $0.value <= now }.keys))
                for number in due { model[number] = nil }
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.values.min().map(instant))
        }
        #expect(!model.isEmpty)
    }

    @Test func `equal deadlines cost no more than others, and the first number comes first`() {
        var queue = DeadlineQueue()
        let count = UInt64(200_000)
        let start = ContinuousClock.now
        for number in 0..<count { queue.insert(number, at: instant(5)) }
        for number in 0..<count where number % 2 == 1 { queue.remove(number) }
        var last: UInt64?
        while let number = queue.takeDue(at: instant(5)) {
            #expect(number == last.map { $0 + 2 } ?? 0)
            last = number
        }
        #expect(last == count - 2)
        // A sorted array takes minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `an empty queue has nothing`() {
        var queue = DeadlineQueue()
        queue.remove(1)
        #expect(queue.first == nil && queue.takeDue(at: instant(1)) == nil)
        queue.insert(1, at: instant(5))
        #expect(queue.takeDue(at: instant(4)) == nil)
        #expect(queue.takeDue(at: instant(5)) == 1)
        #expect(queue.takeDue(at: instant(5)) == nil)
    }
}
