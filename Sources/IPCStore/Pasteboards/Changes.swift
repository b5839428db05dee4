package import IPCModel

/// Which pasteboards moved.
package struct Changes: Sendable, Hashable {
    /// One pasteboard that moved.
    package struct Change: Sendable, Hashable {
        package let name: PasteboardName
        /// Its change count; 0 where it was removed.
        package let changeCount: UInt64

        package init(name: PasteboardName, changeCount: UInt64) {
            (self.name, self.changeCount) = (name, changeCount)
        }
    }

    /// The change count up to which this answers: the next question starts from it.
    package let latest: UInt64
    /// What moved, oldest change first, removals with the count 0 among them.
    package let changed: [Change]
    /// Whether pasteboards may have been removed that are not named here: the question starts too far back.
    package let mustResynchronize: Bool

    package init(latest: UInt64, changed: [Change], mustResynchronize: Bool) {
        (self.latest, self.changed, self.mustResynchronize) = (latest, changed, mustResynchronize)
    }
}

extension StoreTransaction {
    /// The change count that was given out last.
    package var latestChangeCount: UInt64 { session.counter.last }

    /// Makes every later change take a number above `count`, and gives the last number that is taken or left out then:
    /// what comes from another store keeps its numbers, and nothing here takes one of them again (I11).
    ///
    /// One that is reached already changes nothing. An error of the code `InvalidArguments` for more than half of all
    /// numbers: each call could use up what is left.
    package func skipChangeCounts(to count: UInt64) throws -> UInt64 { try session.counter.skip(to: count) }

    /// Which of the named pasteboards (of all where `names` is empty) moved after a change count (I13).
    ///
    /// A count that was never given out is of another store, or of one that was lost: all that is there has moved then,
    /// and the caller has to begin anew.
    package func changes(of names: [PasteboardName] = [], since: UInt64) throws -> Changes {
        guard since <= session.counter.last else {
            let all = try changes(of: names, since: 0)
            return Changes(latest: all.latest, changed: all.changed, mustResynchronize: true)
        }
        let isBeforeLog = since > 0 && since < session.counter.removedTo
        var found: [(at: UInt64, change: Changes.Change)] = []
        if names.isEmpty {
            for area in Area.allCases {
                found += try session.boardsMoved(since: since, area)
                if since > 0 { found += try session.removals(since: since, area) }
            }
        } else {
            found = try session.moved(names, since: since, isBeforeLog: isBeforeLog)
        }
        let changed = found.sorted { $0.at < $1.at }.map(\.change)
        return Changes(
            latest: session.counter.last, changed: changed, mustResynchronize: names.isEmpty && isBeforeLog)
    }
}

extension StoreSession {
    typealias Move = (at: UInt64, change: Changes.Change)

    /// Each change is a version, and the version's key is the change count: those behind a count are few, and no index
    /// has to be kept up for this.
    func boardsMoved(since: UInt64, _ area: Area) throws -> [Move] {
        var moves: [Move] = []
        let statement = try transaction.statement(
            """
            SELECT p.* FROM @.version AS v JOIN @.pasteboard AS p ON p.id = v.pasteboard
            AND p.change_count = v.change_count WHERE v.change_count > ?
            """, area)
        try statement.query([.number(since)]) { row in
            guard let board = Board(row, area) else { return }
            moves.append((board.changeCount, .init(name: board.name, changeCount: board.changeCount)))
        }
        return moves
    }

    /// Removals after a count, of names that nobody has made anew.
    func removals(since: UInt64, _ area: Area) throws -> [Move] {
        var removed: [(UInt64, PasteboardName)] = []
        try transaction.statement("SELECT * FROM @.removal WHERE change_count > ?", area).query([.number(since)]) {
            row in
            guard row.isIntact(.removal, checksum: 2), let name = try? PasteboardName(row.text(1)) else { return }
            removed.append((row.number(0), name))
        }
        return try latestOfEach(removed).filter { try !isThere($0.name) }
            .map { ($0.at, .init(name: $0.name, changeCount: 0)) }
    }

    private func latestOfEach(_ removed: [(UInt64, PasteboardName)]) -> [(name: PasteboardName, at: UInt64)] {
        var latest: [PasteboardName: UInt64] = [:]
        for (count, name) in removed { latest[name] = max(latest[name] ?? 0, count) }
        return latest.map { ($0.key, $0.value) }
    }

    private enum Standing {
        case missing, damaged
        case at(UInt64)
    }

    private func standing(_ name: PasteboardName) throws -> Standing {
        do {
            return try storedBoard(name).map { .at($0.changeCount) } ?? .missing
        } catch PasteboardError.damaged {
            return .damaged
        }
    }

    /// Whether a pasteboard has that name, be its row damaged or not.
    private func isThere(_ name: PasteboardName) throws -> Bool {
        if case .missing = try standing(name) { false } else { true }
    }

    /// Which of some pasteboards moved. One that is not there was removed, if the log says so, or may have been, if the
    /// log does not reach back.
    func moved(_ names: [PasteboardName], since: UInt64, isBeforeLog: Bool) throws -> [Move] {
        var moves: [Move] = []
        var missing: Set<PasteboardName> = []
        for name in Set(names) {
            switch try standing(name) {
            case .missing: missing.insert(name)
            case .damaged: continue
            case .at(let count):
                if count > since { moves.append((count, .init(name: name, changeCount: count))) }
            }
        }
        guard since > 0, !missing.isEmpty else { return moves }
        if isBeforeLog { return moves + missing.map { (since, .init(name: $0, changeCount: 0)) } }
        let removed = try Area.allCases.flatMap { try removals(since: since, $0) }
        return moves + removed.filter { missing.contains($0.change.name) }
    }

    /// Writes down a removal, and forgets the oldest ones where there are too many.
    func noteRemoval(of name: PasteboardName, at count: UInt64, _ area: Area) throws {
        try transaction.insert(
            "INSERT INTO @.removal VALUES (?, ?, ?)", area, [.number(count), .text(name.text)], in: .removal)
        note(PasteboardMove(name: name, changeCount: count, state: nil))
        transaction.onUndo { [self, removalCount] in self.removalCount = removalCount }
        removalCount += 1
        guard removalCount > configuration.limits.removalsKept else { return }
        try forgetRemovals(area)
    }

    /// Forgets the older half of the removals of one database, so that this is seldom.
    private func forgetRemovals(_ area: Area) throws {
        let kept = try transaction.statement("SELECT count(*) FROM @.removal", area).first { $0.number(0) } ?? 0
        let last = try transaction.statement(
            "SELECT change_count FROM @.removal ORDER BY change_count LIMIT 1 OFFSET ?", area
        ).first([.number(kept / 2)]) { $0.number(0) }
        guard let last else { return }
        try transaction.write("DELETE FROM @.removal WHERE change_count <= ?", area, [.number(last)])
        removalCount -= kept / 2 + 1
        try counter.forgetRemovals(to: last)
    }
}
