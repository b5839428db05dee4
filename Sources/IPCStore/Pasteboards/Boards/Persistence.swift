package import IPCModel

extension StoreTransaction {
    /// Moves a pasteboard, with its versions, to disk or into memory. Its change count stays the same.
    /// - Parameter files: copies of the pasteboard's files, already on disk or in memory as requested.
    /// - Throws: ``IntakeOutdated`` if a file has no copy.
    package func setPersistent(
        _ persistent: Bool, of name: PasteboardName, files: MovedFiles = MovedFiles()
    ) throws {
        let board = try session.histories.existing(name)
        let target: Area = persistent ? .persistent : .volatile
        guard board.area != target else { return }
        if target == .volatile, name != .general { try session.counter.noteVolatilePasteboard() }
        let bytes = try Relocation(session: session, copies: files).move(board, to: target)
        if target == .volatile { try session.usage.checkMemory(with: bytes) }
    }
}

/// Moves pasteboards between the two databases.
private struct Relocation {
    let session: StoreSession
    let copies: MovedFiles

    /// Copies the rows with their checksums, then drops the old rows. A held version also stays in the old database
    /// with its content, and sensitive content stays in memory.
    /// - Returns: by how many bytes the usage of the target has grown.
    func move(_ board: Board, to target: Area) throws -> UInt64 {
        let usage = session.usage
        var moved = board
        moved.area = target
        let before = usage.total(target).bytes
        for count in board.versions {
            guard let version = try? session.versions.version(count, of: board.name, board.area) else { continue }
            try copy(version, to: target)
        }
        for count in board.versions { try session.versions.drop(count, board.area) }
        try session.boards.delete(board.id, board.name, board.area)
        usage.refund(Usage(pasteboards: 1), to: board.source, board.area)
        try session.boards.insert(moved)
        usage.charge(Usage(pasteboards: 1), to: board.source, target)
        return usage.total(target).bytes - min(before, usage.total(target).bytes)
    }

    /// Copies a version and its content, except rows that an earlier move left in the target, which are identical.
    private func copy(_ version: VersionRow, to target: Area) throws {
        var version = version
        version.pins = 0
        if try session.versions.intact(version.changeCount, target) == nil {
            session.usage.charge(version.usage, to: version.source.application, target)
        }
        try session.transaction.insert(
            "INSERT OR IGNORE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", target,
            version.columns, in: .version)
        guard version.representations > 0 else { return }
        var keys: [UInt64] = []
        try session.transaction.write(
            """
            INSERT OR IGNORE INTO @.representation SELECT * FROM #.representation WHERE id BETWEEN ? AND ?
            RETURNING id, kind
            """, target, ContentKeys(content: version.content).range(version.representations)
        ) { row in
            if row.integer(1) == RepresentationRow.fileKind { keys.append(row.number(0)) }
        }
        for key in keys where !copies.lost.contains(key) {
            guard let file = copies.taken[key] else { throw IntakeOutdated(toDisk: target == .persistent) }
            try session.files.attach(.file(file), key: key, target)
        }
    }
}
