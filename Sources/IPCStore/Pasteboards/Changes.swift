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
                found += try session.boards.boardsMoved(since: since, area)
                if since > 0 { found += try session.boards.removals(since: since, area) }
            }
        } else {
            found = try session.boards.moved(names, since: since, isBeforeLog: isBeforeLog)
        }
        let changed = found.sorted { $0.at < $1.at }.map(\.change)
        return Changes(
            latest: session.counter.last, changed: changed, mustResynchronize: names.isEmpty && isBeforeLog)
    }
}
