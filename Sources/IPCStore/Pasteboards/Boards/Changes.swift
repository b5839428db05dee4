package import IPCModel

package struct Changes: Sendable, Hashable {
    package struct Change: Sendable, Hashable {
        package let name: PasteboardName
        /// The change count of the pasteboard; 0 after its removal.
        package let changeCount: UInt64
    }

    /// The change count up to which this answers: the next question starts from it.
    package let latest: UInt64
    /// Oldest change first.
    package let changed: [Change]
    /// Whether pasteboards may have been removed that are not in ``changed``: the question starts too far back.
    package let mustResynchronize: Bool
}

extension StoreTransaction {
    /// Makes every later change take a number above `count`: imported versions keep their numbers, and no change takes
    /// one of these again (I11). Does nothing if the numbers are past `count` already.
    /// - Returns: the last number that is taken or skipped.
    /// - Throws: `InvalidArguments` for more than half of all numbers: each call could use up the rest.
    package func skipChangeCounts(to count: UInt64) throws -> UInt64 { try session.counter.skip(to: count) }

    /// The named pasteboards (all if `names` is empty) that moved after a change count (I13).
    ///
    /// A count that this store never assigned belongs to another store, or to a lost one. Then all pasteboards count as
    /// moved, and the caller has to resynchronize.
    package func changes(of names: [PasteboardName] = [], since: UInt64) throws -> Changes {
        guard since <= session.counter.last else {
            let all = try changes(of: names, since: 0)
            return Changes(latest: all.latest, changed: all.changed, mustResynchronize: true)
        }
        let isBeforeLog = since > 0 && since < session.counter.removedTo
        var found: [Boards.Move] = []
        if names.isEmpty {
            for area in Area.allCases {
                found += try session.boards.boardsMoved(since: since, area)
                if since > 0 { found += try session.boards.removals(since: since, area) }
            }
        } else {
            found = try session.boards.moved(names, since: since, isBeforeLog: isBeforeLog)
        }
        return Changes(
            latest: session.counter.last, changed: found.sorted { $0.at < $1.at }.map(\.change),
            mustResynchronize: names.isEmpty && isBeforeLog)
    }
}
