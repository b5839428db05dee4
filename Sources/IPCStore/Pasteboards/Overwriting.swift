internal import IPCModel

/// A write that takes the place of the version that its pasteboard lets go of with it, row by row: nobody needs that one
/// any more, and the new one has as many parts.
///
/// That is what most writes are. Nothing has to be read, and no row to be deleted and another one inserted.
struct Overwriting {
    let boards: Boards
    let versions: Versions
    let contents: Contents
    let known: KnownVersions
    let usage: UsageTally
    let counter: ChangeCounter
    let limits: VersionLimits

    /// Puts a version behind the current one and in the place of the oldest one.
    /// - Returns: its change count; nil where there is no version in whose place it can be put.
    func write(_ addition: VersionAddition, _ items: [PasteboardItem], on board: Board, at now: UInt64) throws
        -> UInt64?
    {
        guard let oldest = overwritable(board, by: addition) else { return nil }
        try limits.check(addition, on: nil, board)
        let source = addition.options.source
        var version = VersionRow(
            changeCount: try counter.take(), pasteboard: board.id, source: source, time: now)
        version.content = version.changeCount
        (version.items, version.representations) = (addition.itemCount, addition.entries.count)
        version.bytes = addition.byteCount
        try versions.overwrite(oldest.row, with: version, board.area)
        try contents.overwrite(oldest, with: addition.entries, version.content)
        known.remove(oldest.row.changeCount)
        if source.application != oldest.row.source.application || version.usage != oldest.row.usage {
            usage.charge(version.usage, to: source.application, board.area)
            usage.refund(oldest.row.usage, to: oldest.row.source.application, board.area)
        }
        try usage.check(with: version.usage, of: source.application, board.area)
        var board = board
        board.versions.removeFirst()
        board.versions.append(version.changeCount)
        board.isCurrentForOneReader = false
        try boards.update(board)
        known.keep(version, board.area, addition.entries, items)
        return version.changeCount
    }

    /// The most versions of a pasteboard that are looked at for that.
    private static let versionsCompared = 8

    /// The version in whose place a write can be put; nil where there is none, or not all is known.
    ///
    /// No other version may have its content. Such a one adds to it, so that it belongs to the same pasteboard; requests
    /// share the content of those versions alone that end by themselves, and such a one is never known.
    private func overwritable(_ board: Board, by addition: VersionAddition) -> KnownVersion? {
        let kept = board.versions
        guard kept.count == Int(board.historyLimit) + 1, kept.count <= Self.versionsCompared,
            !addition.isSensitive, !addition.options.isOnce, addition.options.timeToLive == nil,
            !addition.hasPromises, addition.entries.allSatisfy(\.isInRow),
            let oldest = known.version(kept[0], of: board), oldest.row.pins == 0,
            oldest.row.content == oldest.row.changeCount, addition.entries.count == oldest.entries.count
        else { return nil }
        for count in kept.dropFirst() {
            // One that is not known may have the content, or be for one reader alone.
            guard let other = known.version(count, of: board), other.row.content != oldest.row.content else {
                return nil
            }
        }
        return oldest
    }
}
