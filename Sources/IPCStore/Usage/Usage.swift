internal import IPCModel

/// The amounts for which a source is charged.
package struct Usage: Sendable, Hashable {
    package var pasteboards: UInt64 = 0
    package var items: UInt64 = 0
    /// The bytes of the source's versions. Content that several versions share is counted for each of them.
    package var bytes: UInt64 = 0

    var isNothing: Bool { self == Usage() }

    mutating func add(_ other: Usage) {
        // The sums wrap around, because adding untrusted rows must not crash the process.
        pasteboards &+= other.pasteboards
        items &+= other.items
        bytes &+= other.bytes
    }

    /// Subtracts `other`, but never goes below zero: a damaged row may hold less than `other`.
    mutating func remove(_ other: Usage) {
        pasteboards -= min(pasteboards, other.pasteboards)
        items -= min(items, other.items)
        bytes -= min(bytes, other.bytes)
    }
}

package struct StoreUsage: Sendable {
    package let total: Usage
    /// The bytes of pasteboards in memory and of sensitive versions.
    package let memoryBytes: UInt64
    /// The usage of each source, sorted by its name. `""` stands for callers without a name.
    package let bySource: [(source: String, usage: Usage)]
}

extension StoreTransaction {
    package func usage() -> StoreUsage { session.usage.state }
}

/// The usage in both databases, by source. Each commit writes the changed usage of the database file to its table.
final class UsageTally {
    private let transaction: GroupTransaction
    private let limits: Limits
    private var sources: [[String: Usage]] = [[:], [:]]
    private var totals = [Usage(), Usage()]
    /// Sources whose rows in the table `usage` may be outdated.
    private var changed: Set<String> = []
    /// The rows of the table `usage` on disk.
    private var stored: [String: Usage] = [:]
    /// Drops an earlier version of `general`, unless that pasteboard has no more of them than the argument.
    var makeRoom: (_ kept: UInt64) throws -> Bool = { _ in false }

    init(_ transaction: GroupTransaction) {
        (self.transaction, limits) = (transaction, transaction.configuration.limits)
    }

    /// The sum over both databases.
    var total: Usage {
        var sum = totals[0]
        sum.add(totals[1])
        return sum
    }

    func total(_ area: Area) -> Usage { totals[area.rawValue] }

    subscript(source: String, area: Area) -> Usage { sources[area.rawValue][source] ?? Usage() }

    /// A source's usage, summed over both databases.
    subscript(source: String) -> Usage {
        var sum = self[source, .persistent]
        sum.add(self[source, .volatile])
        return sum
    }

    private func set(_ usage: Usage, of source: String, _ area: Area) {
        totals[area.rawValue].remove(self[source, area])
        totals[area.rawValue].add(usage)
        sources[area.rawValue][source] = usage.isNothing ? nil : usage
        if area == .persistent { changed.insert(source) }
    }

    /// The sources whose rows must be written. A source whose usage is what the disk says is left out, so that a group
    /// of operations that changes only memory does not need the disk.
    private var unstored: [String] { changed.filter { self[$0, .persistent] != stored[$0] ?? Usage() } }

    func committed() {
        guard !changed.isEmpty else { return }
        for source in changed { stored[source] = sources[Area.persistent.rawValue][source] }
        changed.removeAll(keepingCapacity: true)
    }

    var state: StoreUsage {
        let names = Set(sources[0].keys).union(sources[1].keys).sorted()
        return StoreUsage(
            total: total, memoryBytes: total(.volatile).bytes, bySource: names.map { ($0, self[$0]) })
    }

    func charge(_ added: Usage, to source: String, _ area: Area) {
        var use = self[source, area]
        use.add(added)
        setUsage(use, of: source, area)
    }

    func refund(_ removed: Usage, to source: String, _ area: Area) {
        var use = self[source, area]
        use.remove(removed)
        setUsage(use, of: source, area)
    }

    private func setUsage(_ use: Usage, of source: String, _ area: Area) {
        let earlier = self[source, area]
        guard use != earlier else { return }
        transaction.onUndo { [self] in set(earlier, of: source, area) }
        set(use, of: source, area)
    }

    /// Checks the limit on memory after `added` bytes were charged. Earlier versions of `general` make room: those beyond
    /// the usual number already at `general-history-bytes`, and the others before a write fails.
    func checkMemory(with added: UInt64) throws {
        guard added > 0, total(.volatile).bytes > min(limits.generalHistoryBytes, limits.memoryBytes) else { return }
        try limits.check(\.memoryBytes, request: added)
        while total(.volatile).bytes > limits.generalHistoryBytes, try makeRoom(limits.history) {}
        while total(.volatile).bytes > limits.memoryBytes, try makeRoom(0) {}
        let use = total(.volatile).bytes
        try limits.check(\.memoryBytes, use: use - min(use, added), request: added)
    }

    private func allows(all: Usage, own: Usage) -> Bool {
        all.pasteboards <= limits.pasteboards && own.pasteboards <= limits.pasteboardsPerSource
            && all.items <= limits.items && own.items <= limits.itemsPerSource && all.bytes <= limits.storedBytes
            && own.bytes <= limits.storedBytesPerSource
    }

    /// Checks the limits after `added` was charged to a source. An empty charge never fails.
    func check(with added: Usage, of source: String, _ area: Area) throws {
        let (all, own) = (total, self[source])
        if area == .volatile { try checkMemory(with: added.bytes) }
        // Most writes are far from all limits, and need no exact check.
        guard !allows(all: all, own: own) else { return }
        let checks: [(limit: KeyPath<Limits, UInt64>, use: UInt64, request: UInt64)] = [
            (\.pasteboards, all.pasteboards, added.pasteboards),
            (\.pasteboardsPerSource, own.pasteboards, added.pasteboards),
            (\.items, all.items, added.items), (\.itemsPerSource, own.items, added.items),
            (\.storedBytes, all.bytes, added.bytes), (\.storedBytesPerSource, own.bytes, added.bytes),
        ]
        // First checks the write by itself: if it alone exceeds a limit, it can never succeed, and the error must say
        // so.
        for (limit, _, request) in checks { try limits.check(limit, request: request) }
        for (limit, use, request) in checks where request > 0 {
            try limits.check(limit, use: use - min(use, request), request: request)
        }
    }

    func write() throws {
        for source in unstored {
            let use = self[source, .persistent]
            if use.isNothing {
                try transaction.statement("DELETE FROM @.usage WHERE source = ?", .persistent).run([.text(source)])
            } else {
                let columns: [SQLValue] = [
                    .text(source), .number(use.pasteboards), .number(use.items), .number(use.bytes),
                ]
                try transaction.statement("INSERT OR REPLACE INTO @.usage VALUES (?, ?, ?, ?, ?)", .persistent)
                    .run(columns + [Checksum.of(columns, in: .usage)])
            }
        }
    }

    /// Reads the rows of `usage`. Sums the other tables instead if a row is damaged, if the number of pasteboards is
    /// wrong, or if the items and bytes of versions are wrong, which is only checked after a crash or a salvage.
    func load(afterCleanStop wasClean: Bool) throws {
        var isIntact = true
        try transaction.statement("SELECT * FROM @.usage", .persistent).query { row in
            guard row.isIntact(.usage, checksum: 4), Source.canHave(id: row.text(0)) else {
                isIntact = false
                return
            }
            set(
                Usage(pasteboards: row.number(1), items: row.number(2), bytes: row.number(3)), of: row.text(0),
                .persistent)
        }
        committed()
        guard try !isIntact || !fitsTables(afterCleanStop: wasClean) else { return }
        try sumTables()
    }

    private func fitsTables(afterCleanStop wasClean: Bool) throws -> Bool {
        let total = total(.persistent)
        let boards = try transaction.statement("SELECT count(*) FROM @.pasteboard", .persistent).first { $0.number(0) }
        guard total.pasteboards == boards else { return false }
        if wasClean { return true }
        // After a crash, the integrity check has just read the whole file, so reading this table costs little.
        return try transaction.statement("SELECT total(items), total(bytes) FROM @.version", .persistent).first { row in
            total.items == row.number(0) && total.bytes == row.number(1)
        } ?? false
    }

    private func sumTables() throws {
        for source in sources[Area.persistent.rawValue].keys { set(Usage(), of: source, .persistent) }
        stored = [:]
        try transaction.statement("SELECT * FROM @.pasteboard", .persistent).query { row in
            // A damaged pasteboard is charged to no source, but is counted, so that the number of pasteboards matches.
            add(Usage(pasteboards: 1), Board(row, .persistent)?.source ?? "")
        }
        try transaction.statement("SELECT * FROM @.version", .persistent).query { row in
            guard let version = VersionRow(row) else { return }
            add(version.usage, version.source.application)
        }
        try transaction.prepareToWrite()
        try transaction.statement("DELETE FROM @.usage", .persistent).run()
    }

    private func add(_ added: Usage, _ source: String) {
        var use = self[source, .persistent]
        use.add(added)
        set(use, of: source, .persistent)
    }
}
