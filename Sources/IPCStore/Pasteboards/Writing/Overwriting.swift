internal import IPCModel

/// A write that drops the oldest version and reuses its rows, as most writes do. The oldest version must have as many
/// representations as the new one, and nothing may hold it. Such a write reads nothing, and only updates rows.
struct Overwriting {
    let session: StoreSession

    /// Writes a new current version into the rows of the oldest one.
    /// - Returns: the change count of the new version; `nil` if the oldest version cannot be overwritten.
    func write(
        _ addition: VersionAddition, _ items: [PasteboardItem], on board: Board, at now: UInt64
    ) throws -> UInt64? {
        guard let oldest = overwritable(board, by: addition) else { return nil }
        try session.limits.check(addition, on: nil, board)
        let (source, known, usage) = (addition.options.source, session.known, session.usage)
        var version = VersionRow(
            changeCount: try session.counter.take(), pasteboard: board.id, source: source, time: now)
        version.content = version.changeCount
        (version.items, version.representations) = (addition.itemCount, addition.entries.count)
        version.bytes = addition.byteCount
        try session.versions.overwrite(oldest.row, with: version, board.area)
        try session.contents.overwrite(oldest, with: addition.entries, version.content)
        known.remove(oldest.row.changeCount)
        if source.application != oldest.row.source.application || version.usage != oldest.row.usage {
            usage.charge(version.usage, to: source.application, board.area)
            usage.refund(oldest.row.usage, to: oldest.row.source.application, board.area)
        }
        var board = board
        board.versions.removeFirst()
        board.versions.append(version.changeCount)
        board.isCurrentForOneReader = false
        try session.boards.update(board)
        try usage.check(with: version.usage, of: source.application, board.area)
        known.keep(version, board.area, addition.entries, items)
        return version.changeCount
    }

    /// No version is overwritten on a pasteboard that keeps more versions than this. `general` usually keeps 21.
    private static let versionsCompared = 32

    /// The oldest version; `nil` if a write may not overwrite it, for example if another version shares its content.
    /// Only later versions of the same pasteboard need checking: a request's version can share content only with an
    /// expiring version, and no expiring version is ever in the cache.
    private func overwritable(_ board: Board, by addition: VersionAddition) -> KnownVersion? {
        let (kept, known) = (board.versions, session.known)
        guard kept.count == Int(board.historyLimit) + 1, kept.count <= Self.versionsCompared,
            !addition.isSensitive, !addition.options.isOnce, addition.options.timeToLive == nil,
            !addition.hasPromises, addition.entries.allSatisfy(\.isInRow),
            let oldest = known.version(kept[0], of: board), oldest.row.pins == 0,
            oldest.row.content == oldest.row.changeCount, addition.entries.count == oldest.entries.count
        else { return nil }
        for count in kept.dropFirst() {
            // A version that is not cached may share the content of the oldest version, or be for one reader.
            guard let other = known.version(count, of: board), other.row.content != oldest.row.content else {
                return nil
            }
        }
        return oldest
    }
}
