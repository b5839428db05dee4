import IPCQueues
import Testing

struct QueueTests {
    @Test(arguments: [1, 10, 5_000]) func `elements leave in order of arrival, however the queue grows`(_ count: Int) {
        var queue = Queue<Int>()
        var (added, taken) = (0, 0)
        for _ in 0..<count {
            for _ in 0..<3 {
                queue.append(added)
                added += 1
            }
            for _ in 0..<2 {
                #expect(queue.takeFirst() == taken)
                taken += 1
            }
        }
        #expect(queue.count == count && !queue.isEmpty)
        while let next = queue.takeFirst() {
            #expect(next == taken)
            taken += 1
        }
        #expect(taken == added && queue.isEmpty && queue.count == 0)
    }

    @Test func `a removed element is released immediately`() {
        final class Thing {}
        var queue = Queue<Thing>()
        weak var first: Thing?
        do {
            let thing = Thing()
            first = thing
            queue.append(thing)
        }
        queue.append(Thing())
        #expect(first != nil)
        _ = queue.takeFirst()
        #expect(first == nil)
    }
}
