internal import IPCModel

/// When versions end, by the uptime of the system.
final class Deadlines {
    private let transaction: GroupTransaction
    private let configuration: StoreConfiguration
    private let sensitive: SensitiveContents
    private var heap = DeadlineHeap()

    init(_ transaction: GroupTransaction, _ sensitive: SensitiveContents) {
        (self.transaction, configuration, self.sensitive) = (transaction, transaction.configuration, sensitive)
    }

    /// Reads when versions on the disk end. What was sensitive is over: it was in memory.
    func load() throws {
        let statement = try transaction.statement(
            "SELECT * FROM @.version INDEXED BY version_ends WHERE expires_at IS NOT NULL", .persistent)
        try statement.query { row in
            if let version = VersionRow(row) { note(version) }
        }
    }

    /// When a version ends, in milliseconds of uptime; nil where it does not by itself.
    subscript(count: UInt64) -> UInt64? { heap[count] }

    /// The version that ends first.
    var first: (changeCount: UInt64, deadline: UInt64)? { heap.first }

    /// Sets the end of a version that was read, unless it is known.
    ///
    /// By the clock of the day there is so much left as it says, but never more than the version was given at first:
    /// the clock may have been set back while nobody looked.
    func note(_ version: VersionRow) {
        guard let end = version.expiresAt, heap[version.changeCount] == nil else { return }
        let now = configuration.now()
        var left = min(end - min(end, version.time), end - min(end, now))
        if version.isSensitive, sensitive[version.changeCount] == nil { left = 0 }
        heap.set(version.changeCount, configuration.uptime() + left)
    }

    /// Whether a version that was read is over; its row is the last word where the index has lost it.
    func isOver(_ version: VersionRow) -> Bool {
        guard version.expiresAt != nil else { return false }
        note(version)
        return heap[version.changeCount].map { $0 <= configuration.uptime() } ?? false
    }

    /// Those of some versions that are over.
    func over(of versions: [UInt64]) -> [UInt64] {
        guard heap.mayBeOver(at: configuration.uptime) else { return [] }
        let uptime = configuration.uptime()
        return versions.filter { heap[$0].map { $0 <= uptime } ?? false }
    }

    /// Sets when a version ends, or that it does not any more.
    func set(_ deadline: UInt64?, of count: UInt64) {
        let earlier = heap[count]
        transaction.onUndo { [self] in heap.set(count, earlier) }
        heap.set(count, deadline)
    }
}

/// Deadlines by change count, with a heap that has the earliest first.
///
/// The heap may hold more than is true, of versions that are gone or end at another time; what counts is the table
/// beside it.
private struct DeadlineHeap {
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
