internal import IPCModel

/// A write that takes the place of the version that its pasteboard lets go of with it, row by row: nobody needs that one
/// any more, and the new one has as many parts.
///
/// That is what most writes are. Nothing has to be read, and no row to be deleted and another one inserted.
extension StoreSession {
    /// The most versions of a pasteboard that are looked at for that.
    private static let versionsCompared = 8

    /// The version in whose place a write can be put; nil where there is none, or not all is known.
    ///
    /// No other version may have its content. Such a one adds to it, so that it belongs to the same pasteboard; requests
    /// share the content of those versions alone that end by themselves, and such a one is never known.
    func overwritable(_ board: Board, by addition: VersionAddition) -> KnownVersion? {
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

    /// Puts a version behind the current one and in the place of the oldest one; gives its change count.
    func overwrite(
        _ oldest: KnownVersion, of board: Board, with addition: VersionAddition, _ items: [PasteboardItem],
        at now: UInt64
    ) throws -> UInt64 {
        try check(addition, on: nil, board)
        let source = addition.options.source
        var version = VersionRow(
            changeCount: try counter.take(), pasteboard: board.id, source: source, time: now)
        version.content = version.changeCount
        (version.items, version.representations) = (addition.itemCount, addition.entries.count)
        version.bytes = addition.byteCount
        try overwriteRows(oldest, with: addition.entries, version)
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
        try update(board)
        remember(version, board.area, addition.entries, items)
        return version.changeCount
    }

    private func overwriteRows(
        _ oldest: KnownVersion, with entries: [RepresentationEntry], _ version: VersionRow
    ) throws {
        let (area, old) = (oldest.area, oldest.row.changeCount)
        try transaction.write(
            Self.overwriteVersion, area, Self.columnsOfOverwrite(version, at: old),
            reversal: { [self] in
                try transaction.statement(Self.overwriteVersion, area)
                    .run(Self.columnsOfOverwrite(oldest.row, at: version.changeCount))
            })
        let (keys, oldKeys) = (ContentKeys(content: version.content), ContentKeys(content: oldest.row.content))
        for (ordinal, entry) in entries.enumerated() {
            let (key, oldKey) = (keys.number(ordinal), oldKeys.number(ordinal))
            try transaction.write(
                Self.overwriteRepresentation, area, Self.columnsOfOverwrite(entry, key: key, at: oldKey),
                reversal: { [self] in
                    try transaction.statement(Self.overwriteRepresentation, area)
                        .run(Self.columnsOfOverwrite(oldest.entries[ordinal], key: oldKey, at: key))
                })
        }
    }

    /// Keeps in memory what a version holds, where that is possible.
    func remember(
        _ version: VersionRow, _ area: Area, _ entries: [RepresentationEntry], _ items: [PasteboardItem]
    ) {
        if let known = KnownVersion(version, area, entries, items) { self.known.set(known) }
    }
}

// MARK: Statements

extension StoreSession {
    /// All columns are given: SQLite would read from the old row what it is not given, which costs more.
    static let overwriteVersion: StaticString = """
        UPDATE @.version SET change_count = ?1, pasteboard = ?2, content = ?3, items = ?4, representations = ?5,
        bytes = ?6, pins = ?7, time = ?8, expires_at = ?9, flags = ?10, strength = ?11, source = ?12, writer = ?13,
        checksum = ?14 WHERE change_count = ?15
        """

    static func columnsOfOverwrite(_ version: VersionRow, at count: UInt64) -> [SQLValue] {
        var columns: [SQLValue] = [
            .number(version.changeCount), .number(version.pasteboard), .number(version.content),
            .number(version.items), .number(version.representations), .number(version.bytes), .number(version.pins),
            .number(version.time), .number(version.expiresAt), .number(version.flags.rawValue),
            .integer(version.source.strength.number), .text(version.source.application), .text(version.writer), .null,
            .number(count),
        ]
        columns[13] = Checksum.of(columns, first: 13, in: .version)
        return columns
    }

    static let overwriteRepresentation: StaticString = """
        UPDATE @.representation SET id = ?1, item = ?2, kind = ?3, type = ?4, size = ?5, digest = ?6, checksum = ?7,
        value = ?8 WHERE id = ?9
        """

    static func columnsOfOverwrite(_ entry: RepresentationEntry, key: UInt64, at earlier: UInt64) -> [SQLValue] {
        let row = entry.row
        var columns: [SQLValue] = [
            .number(key), .number(row.item), .integer(row.kind), .text(row.type), .number(row.size),
            .bytes(row.digest.bytes), .null, entry.value?.column ?? .null, .number(earlier),
        ]
        columns[6] = Checksum.of(columns, first: 6, in: .representation)
        return columns
    }
}
