import IPCQueues
import IPCTesting
import Testing

@Suite struct DeadlineQueueTests {
    private final class Item: Deadlined {
        let number: UInt64
        var deadlineIndex = -1
        init(_ number: UInt64) { self.number = number }
    }

    private static let start = ContinuousClock.now

    private func instant(_ milliseconds: Int) -> ContinuousClock.Instant {
        Self.start + .milliseconds(milliseconds)
    }

    @Test func `the queue matches a sorted list for any sequence of operations`() {
        var random = SeededGenerator(seed: 7)
        var queue = DeadlineQueue<Item>()
        var items: [UInt64: Item] = [:]
        var model: [UInt64: Int] = [:]
        var now = 0
        for number in 0..<UInt64(20_000) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let deadline = now + Int.random(in: 0..<500, using: &random)
                let item = Item(number)
                items[number] = item
                queue.insert(item, at: instant(deadline))
                model[number] = deadline
            case 6..<8:
                guard let gone = model.keys.randomElement(using: &random) else { continue }
                queue.remove(items[gone]!)
                queue.remove(items[gone]!)
                model[gone] = nil
            default:
                now += Int.random(in: 0..<20, using: &random)
                var due: Set<UInt64> = []
                var last = Int.min
                while let number = queue.takeDue(at: instant(now))?.number {
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
        var queue = DeadlineQueue<Item>()
        let count = UInt64(200_000)
        let start = ContinuousClock.now
        let items = (0..<count).map { Item($0) }
        for item in items { queue.insert(item, at: instant(5)) }
        for item in items where item.number % 2 == 1 { queue.remove(item) }
        var last: UInt64?
        while let number = queue.takeDue(at: instant(5))?.number {
            #expect(number == last.map { $0 + 2 } ?? 0)
            last = number
        }
        #expect(last == count - 2)
        // An implementation with a sorted array would take minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `an empty queue returns nothing`() {
        var queue = DeadlineQueue<Item>()
        let item = Item(1)
        queue.remove(item)
        #expect(queue.first == nil && queue.takeDue(at: instant(1)) == nil)
        queue.insert(item, at: instant(5))
        #expect(queue.takeDue(at: instant(4)) == nil)
        #expect(queue.takeDue(at: instant(5)) === item && item.deadlineIndex == -1)
        #expect(queue.takeDue(at: instant(5)) == nil)
    }

    @Test func `an object in the queue moves only to an earlier deadline`() {
        var queue = DeadlineQueue<Item>()
        let (first, second) = (Item(1), Item(2))
        queue.insert(first, at: instant(5))
        queue.insert(second, at: instant(9))
        queue.insert(second, at: instant(12))
        #expect(queue.count == 2 && queue.firstElement === first)
        queue.insert(second, at: instant(3))
        #expect(queue.count == 2 && queue.first == instant(3) && queue.firstElement === second)
    }
}
