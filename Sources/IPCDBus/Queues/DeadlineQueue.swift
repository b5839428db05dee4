/// Numbers with a deadline each, earliest first: a binary heap that knows the place of each number.
///
/// Insertion, removal and expiry cost the logarithm of the count. Of equal deadlines the smaller number comes first.
package struct DeadlineQueue {
    package typealias Instant = ContinuousClock.Instant

    private var heap: [(deadline: Instant, number: UInt64)] = []
    private var places: [UInt64: Int] = [:]

    package init() {}

    package var count: Int { heap.count }

    /// The earliest deadline.
    package var first: Instant? { heap.first?.deadline }

    /// The number of the earliest deadline.
    package var firstNumber: UInt64? { heap.first?.number }

    /// Adds a number that is not in the queue.
    package mutating func insert(_ number: UInt64, at deadline: Instant) {
        heap.append((deadline, number))
        places[number] = heap.count - 1
        rise(from: heap.count - 1)
    }

    /// Removes a number if the queue holds it.
    package mutating func remove(_ number: UInt64) {
        guard let place = places.removeValue(forKey: number) else { return }
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        places[last.number] = place
        rise(from: place)
        sink(from: place)
    }

    /// Removes the number of the earliest deadline if that has passed.
    package mutating func takeDue(at now: Instant) -> UInt64? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(first.number)
        return first.number
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            exchange(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var earliest = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[earliest] {
                earliest = child
            }
            guard earliest != place else { return }
            exchange(place, earliest)
            place = earliest
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        places[heap[one].number] = one
        places[heap[other].number] = other
    }
}
