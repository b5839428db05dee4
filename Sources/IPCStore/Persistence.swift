package import IPCModel

extension StoreTransaction {
    /// Moves a pasteboard with its versions to the disk, or from it into memory; its change count stays.
    package func setPersistent(_ persistent: Bool, of name: PasteboardName) throws {
        let board = try session.existingBoard(name)
        let target: Area = persistent ? .persistent : .volatile
        guard board.area != target else { return }
        if target == .volatile, name != .general { try session.noteVolatilePasteboard() }
        try session.move(board, to: target)
    }
}

extension StoreSession {
    /// Copies the rows as they are, checksums and all, then lets go of the old ones. A version that somebody holds
    /// stays where it is, and its content with it.
    func move(_ board: Board, to target: Area) throws {
        var moved = board
        moved.area = target
        for count in board.versions {
            guard let version = try? version(count, of: board.name, board.area) else { continue }
            try copy(version, to: target)
        }
        for count in board.versions { try dropVersion(count, board.area) }
        try write("DELETE FROM @.pasteboard WHERE id = ?", board.area, [.number(board.id)])
        try insert(moved)
    }

    /// A version or content that was moved there before and is still held there is the same.
    private func copy(_ version: VersionRow, to target: Area) throws {
        var version = version
        version.pins = 0
        try insert(
            "INSERT OR IGNORE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", target, version.columns,
            in: .version)
        guard version.representations > 0 else { return }
        try write(
            """
            INSERT OR IGNORE INTO @.representation SELECT * FROM #.representation WHERE id BETWEEN ? AND ?
            """, target, ContentKeys(content: version.content).range(version.representations))
    }
}
