package import IPCModel

package struct Changes: Sendable, Hashable {
    package struct Change: Sendable, Hashable {
        package let name: PasteboardName
        /// The change count of the pasteboard; 0 after its removal.
        package let changeCount: UInt64
    }

    /// The change count up to which this answer is complete. The next query starts from it.
    package let latest: UInt64
    /// The pasteboards that changed, oldest change first.
    package let changed: [Change]
    /// Whether removed pasteboards may be missing from ``changed``, because the query started too far back. If so,
    /// ``changed`` has all pasteboards that exist.
    package let mustResynchronize: Bool
}

extension StoreTransaction {
    /// Makes every later change take a change count above `count`, so that imported versions keep their change counts
    /// and no later change takes one of those again (I11). Does nothing if change counts are already past `count`.
    /// - Returns: the last change count that was taken or skipped.
    /// - Throws: `InvalidArguments` if `count` exceeds half of the maximum, so that no call can use up all of them.
    package func skipChangeCounts(to count: UInt64) throws -> UInt64 { try session.counter.skip(to: count) }

    /// The given pasteboards (all if `names` is empty) that changed after a change count (I13). If this store never
    /// assigned that change count, or forgot removals after it, all pasteboards count as changed, and the caller must
    /// resynchronize.
    package func changes(of names: [PasteboardName] = [], since: UInt64) throws -> Changes {
        let isBeforeLog = since > 0 && since < session.counter.removedTo
        guard since <= session.counter.last, !isBeforeLog || !names.isEmpty else {
            let all = try changes(of: names, since: 0)
            return Changes(latest: all.latest, changed: all.changed, mustResynchronize: true)
        }
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
            mustResynchronize: false)
    }
}
