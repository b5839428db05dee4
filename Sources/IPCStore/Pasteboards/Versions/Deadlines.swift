internal import IPCModel

/// The deadlines of versions, in milliseconds of uptime.
final class Deadlines {
    private let transaction: GroupTransaction
    private let configuration: StoreConfiguration
    private let sensitive: SensitiveContents
    private var heap = DeadlineHeap()

    init(_ transaction: GroupTransaction, _ sensitive: SensitiveContents) {
        (self.transaction, configuration, self.sensitive) = (transaction, transaction.configuration, sensitive)
    }

    /// Reads the deadlines of versions on the disk. Sensitive versions expire, because their contents were in memory.
    func load() throws {
        let statement = try transaction.statement(
            "SELECT * FROM @.version INDEXED BY version_ends WHERE expires_at IS NOT NULL", .persistent)
        try statement.query { row in
            if let version = VersionRow(row) { note(version) }
        }
    }

    subscript(count: UInt64) -> UInt64? { heap[count] }

    /// The version that ends first.
    var first: (changeCount: UInt64, deadline: UInt64)? { heap.first }

    /// Sets the deadline of a version that was read, unless it is known.
    ///
    /// The rest of its time follows from the time of day. It is never more than the original time-to-live, because the
    /// clock may have been set back.
    func note(_ version: VersionRow) {
        guard let end = version.expiresAt, heap[version.changeCount] == nil else { return }
        let now = configuration.now()
        var left = min(end - min(end, version.time), end - min(end, now))
        if version.isSensitive, sensitive[version.changeCount] == nil { left = 0 }
        heap.set(version.changeCount, configuration.uptime() + left)
    }

    /// Whether a version that was read has expired. Its row decides if the heap has lost it.
    func isOver(_ version: VersionRow) -> Bool {
        guard version.expiresAt != nil else { return false }
        note(version)
        return heap[version.changeCount].map { $0 <= configuration.uptime() } ?? false
    }

    /// The expired ones among some versions.
    func over(of versions: [UInt64]) -> [UInt64] {
        guard heap.mayBeOver(at: configuration.uptime) else { return [] }
        let uptime = configuration.uptime()
        return versions.filter { heap[$0].map { $0 <= uptime } ?? false }
    }

    /// Sets the deadline of a version, or removes it for nil.
    func set(_ deadline: UInt64?, of count: UInt64) {
        let earlier = heap[count]
        transaction.onUndo { [self] in heap.set(count, earlier) }
        heap.set(count, deadline)
    }
}

/// Deadlines by change count, with a heap that has the earliest first.
///
/// The dictionary is right. The heap may have further entries, of removed versions and changed deadlines.
private struct DeadlineHeap {
    private struct Entry {
        let deadline: UInt64
        let changeCount: UInt64
    }

    private var deadlines: [UInt64: UInt64] = [:]
    private var heap: [Entry] = []

    subscript(changeCount: UInt64) -> UInt64? { deadlines[changeCount] }

    var first: (changeCount: UInt64, deadline: UInt64)? {
        mutating get {
            while let entry = heap.first {
                if deadlines[entry.changeCount] == entry.deadline { return (entry.changeCount, entry.deadline) }
                removeFirst()
            }
            return nil
        }
    }

    /// Whether any version may have expired.
    func mayBeOver(at uptime: () -> UInt64) -> Bool { heap.first.map { $0.deadline <= uptime() } ?? false }

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
