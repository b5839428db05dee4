internal import IPCModel

/// The deadlines of versions, in milliseconds of uptime.
final class Deadlines {
    private let transaction: GroupTransaction
    private let configuration: StoreConfiguration
    private let sensitive: SensitiveContents
    private var deadlines: [UInt64: UInt64] = [:]
    /// A heap with the earliest deadline first. It may have stale entries, for removed versions and changed deadlines.
    private var heap: [(deadline: UInt64, changeCount: UInt64)] = []

    init(_ transaction: GroupTransaction, _ sensitive: SensitiveContents) {
        (self.transaction, configuration, self.sensitive) = (transaction, transaction.configuration, sensitive)
    }

    /// Reads the deadlines of versions on disk. Sensitive versions expire at once: their contents were only in memory.
    func load() throws {
        let statement = try transaction.statement(
            "SELECT * FROM @.version INDEXED BY version_ends WHERE expires_at IS NOT NULL", .persistent)
        try statement.query { row in
            if let version = VersionRow(row) { note(version) }
        }
    }

    subscript(count: UInt64) -> UInt64? { deadlines[count] }

    var first: (changeCount: UInt64, deadline: UInt64)? {
        while let entry = heap.first {
            if deadlines[entry.changeCount] == entry.deadline { return (entry.changeCount, entry.deadline) }
            removeFirst()
        }
        return nil
    }

    /// Sets the deadline of a version from its row, unless the deadline is already known. The remaining time comes from
    /// the wall clock, but is at most the original time-to-live, because the clock may have been set back.
    func note(_ version: VersionRow) {
        guard let end = version.expiresAt, deadlines[version.changeCount] == nil else { return }
        let now = configuration.now()
        var left = min(end - min(end, version.time), end - min(end, now))
        if version.isSensitive, sensitive[version.changeCount] == nil { left = 0 }
        put(configuration.uptime() + left, of: version.changeCount)
    }

    /// Whether a version has expired. If its deadline is not yet known, it is computed from the version's row.
    func isOver(_ version: VersionRow) -> Bool {
        guard version.expiresAt != nil else { return false }
        note(version)
        return deadlines[version.changeCount].map { $0 <= configuration.uptime() } ?? false
    }

    func over(of versions: [UInt64]) -> [UInt64] {
        guard let first = heap.first else { return [] }
        let uptime = configuration.uptime()
        guard first.deadline <= uptime else { return [] }
        return versions.filter { deadlines[$0].map { $0 <= uptime } ?? false }
    }

    /// Sets the deadline of a version; `nil` removes it.
    func set(_ deadline: UInt64?, of count: UInt64) {
        let earlier = deadlines[count]
        transaction.onUndo { [self] in put(earlier, of: count) }
        put(deadline, of: count)
    }

    private func put(_ deadline: UInt64?, of count: UInt64) {
        deadlines[count] = deadline
        guard let deadline else { return }
        heap.append((deadline, count))
        var index = heap.count - 1
        while index > 0, heap[index].deadline < heap[(index - 1) / 2].deadline {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        if heap.count > 2 * deadlines.count + 1_024 {
            heap = deadlines.map { ($0.value, $0.key) }.sorted { $0.0 < $1.0 }
        }
    }

    private func removeFirst() {
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

extension StoreTransaction {
    /// Removes up to a few hundred expired versions, remembered calls and records of ended requests. If the current
    /// version has expired, an empty version with a new change count replaces it. No caller waits for this, because
    /// expired versions are never read.
    /// - Returns: ``nextExpiry``; a time in the past if there is more to remove now.
    package func expire() throws -> UInt64? {
        let uptime = session.configuration.uptime()
        for _ in 0..<Self.endedAtATime {
            guard let first = session.deadlines.first, first.deadline <= uptime else { break }
            try session.histories.end(first.changeCount)
        }
        try session.calls.forgetOver(atMost: Self.endedAtATime)
        try session.retention.forgetOver(atMost: Self.endedAtATime)
        return nextExpiry
    }

    /// When ``expire()`` next has something to do, in milliseconds of uptime; `nil` for never.
    package var nextExpiry: UInt64? {
        [session.deadlines.first?.deadline, session.calls.nextEnd, session.retention.nextEnd].compactMap(\.self).min()
    }

    private static let endedAtATime = 256
}
