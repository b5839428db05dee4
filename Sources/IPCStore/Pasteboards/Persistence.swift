package import IPCModel

extension StoreTransaction {
    /// Moves a pasteboard with its versions to the disk, or from it into memory; its change count stays.
    ///
    /// Its files are to be in the other place already; `IntakeOutdated` where one is not among those of `files`.
    package func setPersistent(
        _ persistent: Bool, of name: PasteboardName, files: MovedFiles = MovedFiles()
    ) throws {
        let board = try session.histories.existing(name)
        let target: Area = persistent ? .persistent : .volatile
        guard board.area != target else { return }
        if target == .volatile, name != .general { try session.counter.noteVolatilePasteboard() }
        let bytes = try session.relocation.move(board, to: target, files)
        if target == .volatile { try session.usage.checkMemory(with: bytes) }
    }
}

/// Moves pasteboards between the two databases.
struct Relocation {
    let transaction: GroupTransaction
    let boards: Boards
    let versions: Versions
    let files: StoredFiles
    let usage: UsageTally

    /// Copies the rows as they are, checksums and all, then lets go of the old ones. A version that somebody holds
    /// stays where it is, and its content with it. Gives the bytes that are there now; what is sensitive stays in memory.
    func move(_ board: Board, to target: Area, _ copies: MovedFiles) throws -> UInt64 {
        var moved = board
        moved.area = target
        let before = usage.total(target).bytes
        for count in board.versions {
            guard let version = try? versions.version(count, of: board.name, board.area) else { continue }
            try copy(version, to: target, copies)
        }
        for count in board.versions { try versions.drop(count, board.area) }
        try boards.delete(board.id, board.name, board.area)
        usage.refund(Usage(pasteboards: 1), to: board.source, board.area)
        try boards.insert(moved)
        usage.charge(Usage(pasteboards: 1), to: board.source, target)
        return usage.total(target).bytes - min(before, usage.total(target).bytes)
    }

    /// A version or content that was moved there before and is still held there is the same.
    private func copy(_ version: VersionRow, to target: Area, _ copies: MovedFiles) throws {
        var version = version
        version.pins = 0
        if try versions.intact(version.changeCount, target) == nil {
            usage.charge(version.usage, to: version.source.application, target)
        }
        try transaction.insert(
            "INSERT OR IGNORE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", target,
            version.columns, in: .version)
        guard version.representations > 0 else { return }
        var keys: [UInt64] = []
        try transaction.write(
            """
            INSERT OR IGNORE INTO @.representation SELECT * FROM #.representation WHERE id BETWEEN ? AND ?
            RETURNING id, kind
            """, target, ContentKeys(content: version.content).range(version.representations)
        ) { row in
            if row.integer(1) == RepresentationRow.fileKind { keys.append(row.number(0)) }
        }
        for key in keys where !copies.lost.contains(key) {
            guard let file = copies.taken[key] else { throw IntakeOutdated(toDisk: target == .persistent) }
            try files.attach(.file(file), key: key, target)
        }
    }
}
