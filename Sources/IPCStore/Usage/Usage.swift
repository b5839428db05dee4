internal import IPCModel

/// What somebody has in the store.
package struct Usage: Sendable, Hashable {
    /// The pasteboards that it made.
    package var pasteboards: UInt64
    /// The items of the versions that it wrote.
    package var items: UInt64
    /// The bytes of those versions; what several versions share counts for each.
    package var bytes: UInt64

    package init(pasteboards: UInt64 = 0, items: UInt64 = 0, bytes: UInt64 = 0) {
        (self.pasteboards, self.items, self.bytes) = (pasteboards, items, bytes)
    }

    var isNothing: Bool { self == Usage() }

    mutating func add(_ other: Usage) {
        // What the disk says is not taken on trust: no sum of it may end the process.
        pasteboards &+= other.pasteboards
        items &+= other.items
        bytes &+= other.bytes
    }

    /// A damaged row may say less than what is let go of now.
    mutating func remove(_ other: Usage) {
        pasteboards -= min(pasteboards, other.pasteboards)
        items -= min(items, other.items)
        bytes -= min(bytes, other.bytes)
    }
}

/// What all have in the store, and each source of it.
package struct StoreUsage: Sendable {
    package let total: Usage
    /// The part of the bytes that is in memory: what is not persistent, and what is sensitive.
    package let memoryBytes: UInt64
    /// In the order of the sources' names; `""` stands for those who state none.
    package let bySource: [(source: String, usage: Usage)]
}

extension StoreTransaction {
    /// What each source has in the store at this moment.
    package func usage() -> StoreUsage { session.usage.state }
}

/// The use of both databases by source, in memory; what is on the disk follows with each commit.
struct UsageTally {
    private var sources: [[String: Usage]] = [[:], [:]]
    private var totals = [Usage(), Usage()]
    /// Sources whose row on the disk may not be right any more.
    private var changed: Set<String> = []
    /// What the rows on the disk say.
    private var stored: [String: Usage] = [:]

    /// What all have in both databases.
    var total: Usage {
        var sum = totals[0]
        sum.add(totals[1])
        return sum
    }

    func total(_ area: Area) -> Usage { totals[area.rawValue] }

    subscript(source: String, area: Area) -> Usage { sources[area.rawValue][source] ?? Usage() }

    /// What a source has in both databases.
    subscript(source: String) -> Usage {
        var sum = self[source, .persistent]
        sum.add(self[source, .volatile])
        return sum
    }

    mutating func set(_ usage: Usage, of source: String, _ area: Area) {
        totals[area.rawValue].remove(self[source, area])
        totals[area.rawValue].add(usage)
        sources[area.rawValue][source] = usage.isNothing ? nil : usage
        if area == .persistent { changed.insert(source) }
    }

    /// The sources whose rows are to be written. What was taken back is right again: a group that needs no disk for
    /// anything else needs none for this.
    var unstored: [String] { changed.filter { self[$0, .persistent] != stored[$0] ?? Usage() } }

    /// Notes that the disk has everything.
    mutating func committed() {
        guard !changed.isEmpty else { return }
        for source in changed { stored[source] = sources[Area.persistent.rawValue][source] }
        changed.removeAll(keepingCapacity: true)
    }

    /// Forgets what is persistent, to sum it up anew.
    mutating func removePersistent() {
        for source in sources[Area.persistent.rawValue].keys { set(Usage(), of: source, .persistent) }
        stored = [:]
    }

    var state: StoreUsage {
        let names = Set(sources[0].keys).union(sources[1].keys).sorted()
        return StoreUsage(
            total: total, memoryBytes: total(.volatile).bytes, bySource: names.map { ($0, self[$0]) })
    }
}

// MARK: Charging

extension StoreSession {
    func charge(_ added: Usage, to source: String, _ area: Area) {
        var use = usage[source, area]
        use.add(added)
        setUsage(use, of: source, area)
    }

    func refund(_ removed: Usage, to source: String, _ area: Area) {
        var use = usage[source, area]
        use.remove(removed)
        setUsage(use, of: source, area)
    }

    private func setUsage(_ use: Usage, of source: String, _ area: Area) {
        let earlier = usage[source, area]
        guard use != earlier else { return }
        transaction.onUndo { [self] in usage.set(earlier, of: source, area) }
        usage.set(use, of: source, area)
    }

    /// Checks the limit of what is in memory, after so many bytes came there.
    func checkMemory(with added: UInt64) throws {
        let use = usage.total(.volatile).bytes
        guard added > 0, use > configuration.limits.memoryBytes else { return }
        do {
            try configuration.limits.check(\.memoryBytes, use: use - min(use, added), request: added)
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
    }

    /// Checks the limits after a charge; what asks for nothing is never refused.
    func checkUsage(with added: Usage, of source: String, _ area: Area) throws {
        let (all, own) = (usage.total, usage[source])
        if area == .volatile { try checkMemory(with: added.bytes) }
        guard !configuration.limits.allow(all: all, own: own) else { return }
        let limits = configuration.limits
        func check(_ limit: KeyPath<Limits, UInt64>, _ use: UInt64, _ request: UInt64) throws(LimitExceeded) {
            if request > 0 { try limits.check(limit, use: use - min(use, request), request: request) }
        }
        do {
            try check(\.pasteboards, all.pasteboards, added.pasteboards)
            try check(\.pasteboardsPerSource, own.pasteboards, added.pasteboards)
            try check(\.items, all.items, added.items)
            try check(\.itemsPerSource, own.items, added.items)
            try check(\.storedBytes, all.bytes, added.bytes)
            try check(\.storedBytesPerSource, own.bytes, added.bytes)
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
    }
}

extension Limits {
    /// Whether nothing is above its limit: most writes need no closer look.
    fileprivate func allow(all: Usage, own: Usage) -> Bool {
        all.pasteboards <= pasteboards && own.pasteboards <= pasteboardsPerSource && all.items <= items
            && own.items <= itemsPerSource && all.bytes <= storedBytes && own.bytes <= storedBytesPerSource
    }
}
