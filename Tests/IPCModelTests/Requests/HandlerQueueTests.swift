import Testing

@Suite("HandlerQueue")
struct HandlerQueueTests {
    @Test("I8: a sender queue is delivered in its order of arrival")
    func order() {
        var queue = TaggedQueue<Int>()
        for id in 0..<100 { queue.enqueue(id, sender: "a") }
        var delivered: [Int] = []
        while let id = queue.next() {
            delivered.append(id)
            queue.finish(id)
        }
        #expect(delivered == Array(0..<100))
        #expect(queue.isEmpty)
    }

    @Test("The handler has one request at a time, or as many as its window", arguments: [1, 2, 5])
    func window(size: Int) {
        var queue = TaggedQueue<Int>(window: size)
        for id in 0..<10 { queue.enqueue(id, sender: "a") }
        let taken = (0..<10).compactMap { _ in queue.next() }
        #expect(taken == Array(0..<size))
        #expect(queue.inFlightCount == size && queue.waitingCount == 10 - size)
        queue.finish(0)
        #expect(queue.next() == size && queue.next() == nil)
    }

    @Test("A window is at least 1, and a smaller one applies from the next delivery on")
    func windowChanges() {
        var queue = TaggedQueue<Int>(window: 0)
        #expect(queue.window == 1)
        queue.window = 3
        for id in 0..<6 { queue.enqueue(id, sender: "a") }
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == [0, 1, 2, nil])
        queue.window = -5
        #expect(queue.window == 1)
        queue.finish(0)
        queue.finish(1)
        #expect(queue.next() == nil)
        queue.finish(2)
        #expect(queue.next() == 3)
    }

    @Test("I15: sender queues take turns: a thousand requests of one do not delay another")
    func turns() {
        var queue = TaggedQueue<String>(window: 10_000)
        for number in 0..<1_000 { queue.enqueue("a\(number)", sender: "a") }
        queue.enqueue("b0", sender: "b")
        queue.enqueue("c0", sender: "c")
        queue.enqueue("c1", sender: "c")
        let firstSix = (0..<6).map { _ in queue.next() }
        #expect(firstSix == ["a0", "b0", "c0", "a1", "c1", "a2"])
    }

    @Test("A request that waits or is in flight is not accepted twice")
    func twice() {
        var queue = TaggedQueue<Int>()
        let entered = [queue.enqueue(1, sender: "a"), queue.enqueue(1, sender: "a"), queue.enqueue(1, sender: "b")]
        #expect(entered == [true, false, false])
        #expect(queue.next() == 1)
        #expect(queue.enqueue(1, sender: "a") == false)
        #expect(queue.isInFlight(1) && !queue.isWaiting(1))
        #expect([queue.finish(1), queue.finish(1)] == [true, false])
        #expect(queue.enqueue(1, sender: "b") == true, "an ended request may arrive again")
    }

    @Test("Only a request that is not yet delivered can be cancelled", arguments: [0, 1, 2, 3])
    func cancelling(position: Int) {
        var queue = TaggedQueue<Int>(window: 10)
        for id in 0..<4 { queue.enqueue(id, sender: "a") }
        #expect([queue.cancel(position), queue.cancel(position)] == [true, false])
        let rest = (0..<4).filter { $0 != position }
        #expect(rest.map { _ in queue.next() } == rest)
        for id in 0..<4 { #expect(queue.cancel(id) == false) }
        #expect(queue.next() == nil && queue.inFlightCount == 3)
    }

    @Test("A sender queue without requests loses its turn")
    func cancelledQueue() {
        var queue = TaggedQueue<String>(window: 10)
        for id in ["a0", "b0", "c0", "a1", "b1"] { queue.enqueue(id, sender: String(id.prefix(1))) }
        #expect([queue.cancel("b0"), queue.cancel("b1")] == [true, true])
        #expect(queue.next() == "a0")
        queue.enqueue("b2", sender: "b")
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == ["c0", "a1", "b2", nil])
    }

    @Test("I8: a request that is not ready delays its own sender queue and no other")
    func readiness() {
        var queue = TaggedQueue<String>(window: 10)
        queue.enqueue("a0", sender: "a", isReady: false)
        queue.enqueue("a1", sender: "a")
        queue.enqueue("b0", sender: "b")
        #expect([queue.next(), queue.next()] == ["b0", nil])
        queue.ready("a0")
        queue.ready("a0")
        #expect([queue.next(), queue.next(), queue.next()] == ["a0", "a1", nil])
    }

    @Test("A request that is not ready and cancelled delays its sender queue no longer")
    func cancelledBeforeReady() {
        var queue = TaggedQueue<String>()
        queue.enqueue("a0", sender: "a", isReady: false)
        queue.enqueue("a1", sender: "a")
        #expect(queue.cancel("a0") == true)
        queue.ready("a0")
        #expect(queue.next() == "a1")
    }

    @Test("I8: requests that are put back are redelivered in order, before newer ones", arguments: [0, 1, 2, 3, 4, 5])
    func puttingBack(shuffle: Int) {
        var queue = TaggedQueue<String>(window: 3)
        for number in 0..<6 { queue.enqueue("a\(number)", sender: "a") }
        var taken = (0..<3).compactMap { _ in queue.next() }
        // The requests may be put back in any order.
        taken.swapAt(0, shuffle % 3)
        if shuffle >= 3 { taken.reverse() }
        for id in taken { queue.putBack(id) }
        #expect(queue.inFlightCount == 0 && queue.waitingCount == 6)
        #expect(queue.drain() == ["a0", "a1", "a2", "a3", "a4", "a5"])
    }

    @Test("After a crash the handler gets one request at a time, until its former requests have ended")
    func caution() {
        var queue = TaggedQueue<String>(window: 3)
        for id in ["a0", "b0", "a1", "b1", "c0"] { queue.enqueue(id, sender: String(id.prefix(1))) }
        #expect([queue.next(), queue.next(), queue.next()] == ["a0", "b0", "c0"])
        queue.finish("c0")
        queue.putBack("a0", isSuspect: true)
        queue.putBack("b0", isSuspect: true)
        #expect(queue.isCautious)
        var order: [String] = []
        while queue.isCautious, let id = queue.next() {
            #expect(queue.next() == nil, "one at a time")
            order.append(id)
            queue.finish(id)
        }
        #expect(order.contains("a0") && order.contains("b0"))
        #expect(!queue.isCautious)
        queue.enqueue("d0", sender: "d")
        queue.enqueue("e0", sender: "e")
        #expect(queue.drain().count >= 2)
    }

    @Test("A pause delays its own sender queue and no other")
    func pauses() {
        var queue = TaggedQueue<String>(window: 2)
        for id in ["a0", "a1", "b0"] { queue.enqueue(id, sender: String(id.prefix(1))) }
        #expect(queue.next() == "a0")
        queue.putBack("a0", isReady: false)
        #expect([queue.next(), queue.next()] == ["b0", nil])
        queue.ready("a0")
        #expect([queue.next(), queue.next()] == ["a0", nil])
        queue.finish("b0")
        #expect(queue.next() == "a1")
    }

    @Test("A suspect that is cancelled, or put back without suspicion, is cleared for good")
    func suspectsEnd() {
        var queue = TaggedQueue<String>(window: 2)
        queue.enqueue("a0", sender: "a")
        queue.enqueue("b0", sender: "b")
        #expect([queue.next(), queue.next()] == ["a0", "b0"])
        queue.putBack("a0", isSuspect: true)
        queue.putBack("b0")
        #expect(queue.isCautious)
        #expect(queue.cancel("a0") == true)
        #expect(!queue.isCautious)
        #expect(queue.next() == "b0")
    }
}
