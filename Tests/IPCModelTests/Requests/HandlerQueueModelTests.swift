import IPCTesting
import Testing

/// A naive queue of plain lists, for comparison.
private struct NaiveQueue {
    var window: Int
    var queues: [(sender: Int, ids: [Int])] = []
    var inFlight: [Int] = []

    mutating func enqueue(_ id: Int, sender: Int) {
        if let index = queues.firstIndex(where: { $0.sender == sender }) {
            queues[index].ids.append(id)
        } else {
            queues.append((sender, [id]))
        }
    }

    mutating func next() -> Int? {
        guard inFlight.count < window, !queues.isEmpty else { return nil }
        var taken = queues.removeFirst()
        let id = taken.ids.removeFirst()
        if !taken.ids.isEmpty { queues.append(taken) }
        inFlight.append(id)
        return id
    }

    mutating func cancel(_ id: Int) -> Bool {
        guard let index = queues.firstIndex(where: { $0.ids.contains(id) }) else { return false }
        queues[index].ids.removeAll { $0 == id }
        if queues[index].ids.isEmpty { queues.remove(at: index) }
        return true
    }
}

@Suite("HandlerQueue over random operations")
struct HandlerQueueModelTests {
    @Test("The queue behaves like plain lists", arguments: 1...10 as ClosedRange<UInt64>)
    func model(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let window = Int.random(in: 1...6, using: &generator)
        var queue = TaggedQueue<Int>(window: window)
        var model = NaiveQueue(window: window)
        for id in 0..<6_000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...3:
                let sender = Int.random(in: 0..<7, using: &generator)
                queue.enqueue(id, sender: sender)
                model.enqueue(id, sender: sender)
            case 4, 5:
                try #require(queue.next() == model.next())
            case 6:
                guard let finished = model.inFlight.randomElement(using: &generator) else { continue }
                model.inFlight.removeAll { $0 == finished }
                try #require(queue.finish(finished) == true)
            default:
                let target = Int.random(in: max(0, id - 50)...id, using: &generator)
                try #require(queue.cancel(target) == model.cancel(target))
            }
            try #require(queue.inFlightCount == model.inFlight.count && queue.inFlightCount <= window)
            try #require(queue.waitingCount == model.queues.reduce(0) { $0 + $1.ids.count })
        }
        try #require(queue.drain() == drained(model))
    }

    private func drained(_ model: NaiveQueue) -> [Int] {
        var model = model
        model.window = .max
        return Array(sequence(state: ()) { _ in model.next() })
    }

    @Test("I8, I15: every sender queue in order, none served twice while another waits, the window never exceeded")
    func properties() throws {
        var generator = SeededGenerator(seed: 15)
        var queue = TaggedQueue<Int>(window: 4)
        var waiting: [Int: [Int]] = [:]
        var inFlight: Set<Int> = []
        /// For each waiting sender, counts the deliveries to each other sender since it was last served, or since it
        /// started waiting.
        var passedBy: [Int: [Int: Int]] = [:]
        for id in 0..<20_000 {
            if Bool.random(using: &generator) {
                let sender = Int.random(in: 0..<9, using: &generator)
                if waiting[sender, default: []].isEmpty { passedBy[sender] = [:] }
                waiting[sender, default: []].append(id)
                queue.enqueue(id, sender: sender)
            } else if let finished = inFlight.sorted().randomElement(using: &generator), Bool.random(using: &generator)
            {
                inFlight.remove(finished)
                queue.finish(finished)
            }
            guard let delivered = queue.next() else { continue }
            inFlight.insert(delivered)
            try #require(inFlight.count <= 4)
            let sender = try #require(
                waiting.first { $0.value.first == delivered }?.key, "only the first of a sender queue is delivered")
            waiting[sender]?.removeFirst()
            passedBy[sender] = [:]
            for other in waiting.keys where other != sender && waiting[other]?.isEmpty == false {
                passedBy[other, default: [:]][sender, default: 0] += 1
                try #require(passedBy[other]?[sender] == 1, "\(sender) was served twice while \(other) waited")
            }
        }
    }
}
