/// When versions end, by the uptime of the system: a heap of deadlines, the earliest first.
///
/// The heap may hold more than is true, of versions that are gone or end at another time; what counts is the table
/// beside it.
struct Deadlines {
    private struct Entry {
        let deadline: UInt64
        let changeCount: UInt64
    }

    private var deadlines: [UInt64: UInt64] = [:]
    private var heap: [Entry] = []

    /// When a version ends, in milliseconds of uptime; nil where it does not by itself.
    subscript(changeCount: UInt64) -> UInt64? { deadlines[changeCount] }

    /// The version that ends first.
    var first: (changeCount: UInt64, deadline: UInt64)? {
        mutating get {
            while let entry = heap.first {
                if deadlines[entry.changeCount] == entry.deadline { return (entry.changeCount, entry.deadline) }
                removeFirst()
            }
            return nil
        }
    }

    /// Whether any version may be over, without a look at which.
    func mayBeOver(at uptime: () -> UInt64) -> Bool {
        guard let first = heap.first else { return false }
        return first.deadline <= uptime()
    }

    mutating func set(_ changeCount: UInt64, _ deadline: UInt64?) {
        deadlines[changeCount] = deadline
        guard let deadline else { return }
        heap.append(Entry(deadline: deadline, changeCount: changeCount))
        rise()
        if heap.count > 2 * deadlines.count + 1_024 { rebuild() }
    }

    private mutating func rebuild() {
        heap = deadlines.map { Entry(deadline: $0.value, changeCount: $0.key) }.sorted { $0.deadline < $1.deadline }
    }

    private mutating func rise() {
        var index = heap.count - 1
        while index > 0, heap[index].deadline < heap[(index - 1) / 2].deadline {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].deadline < heap[least].deadline { least = child }
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
