internal import IPCModel

/// The keys of the remembered calls, oldest first. The results are in the rows of the table `operation` (I10).
struct OperationLog {
    struct Entry {
        /// The hash of the id: 64 bits are enough to distinguish ids. The hash depends on a random seed of the process,
        /// so no caller can choose two ids with the same hash.
        fileprivate let key: Int
        let sequence: Int64
        let area: Area
        let time: UInt64
        /// The change count of the version held for the call; 0 if there is none.
        let version: UInt64
    }

    private var entries: [Entry] = []
    private var first = 0
    /// The position of each key's entry. Positions count all entries since the start, including forgotten ones.
    private var index: [Int: Int] = [:]
    /// The position of the first element of ``entries``.
    private var base = 0
    private(set) var lastSequence: Int64 = 0
    /// The number of calls for which a version is held.
    private(set) var holding = 0
    private var isLoaded = false

    var count: Int { entries.count - first }
    var oldest: Entry? { first < entries.count ? entries[first] : nil }

    func place(_ id: RequestID) -> Entry? { index[id.hashValue].map { entries[$0 - base] } }

    mutating func add(_ id: RequestID, _ sequence: Int64, version: UInt64, _ area: Area, at time: UInt64) {
        lastSequence = max(lastSequence, sequence)
        index[id.hashValue] = base + entries.count
        entries.append(
            Entry(key: id.hashValue, sequence: sequence, area: area, time: time, version: version))
        if version != 0 { holding += 1 }
    }

    mutating func forgetOldest() {
        // The oldest call's id may now belong to a later call, which reused it after the retention period.
        let key = entries[first].key
        if index[key] == base + first { index[key] = nil }
        if entries[first].version != 0 { holding -= 1 }
        first += 1
    }

    mutating func undoAdd() {
        let entry = entries.removeLast()
        index[entry.key] = nil
        if entry.version != 0 { holding -= 1 }
    }

    mutating func undoForget() {
        first -= 1
        let key = entries[first].key
        if index[key] == nil { index[key] = base + first }
        if entries[first].version != 0 { holding += 1 }
    }

    /// Frees the memory of forgotten calls. Only call this between groups, when no undo can restore them.
    mutating func compact() {
        guard first > 1_024, first > entries.count / 2 else { return }
        entries.removeFirst(first)
        base += first
        first = 0
    }

    /// Reads the keys from the file, once. The id of a damaged row is kept as long as that of an intact row, so that
    /// repeating the call fails instead of taking effect twice.
    mutating func load(_ transaction: GroupTransaction) throws {
        guard !isLoaded else { return }
        var log = OperationLog()
        try log.read(transaction)
        log.isLoaded = true
        self = log
    }

    private mutating func read(_ transaction: GroupTransaction) throws {
        try transaction.statement("SELECT * FROM @.operation ORDER BY sequence", .persistent).query { row in
            guard (0...SQLRow.greatest).contains(row.integer(0)) else { return }
            lastSequence = max(lastSequence, row.integer(0))
            guard let id = try? RequestID(row.text(1)) else { return }
            let isIntact = row.isIntact(.operation, checksum: 7)
            add(
                id, row.integer(0), version: isIntact ? row.number(5) : 0, .persistent,
                at: isIntact ? row.number(6) : transaction.configuration.now())
        }
    }
}
