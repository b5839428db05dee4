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
        try Relocation(session: session, copies: files).move(board, to: target)
    }
}

extension StoreTransaction {
    /// Copies a portion of a pasteboard's rows to the database to which the pasteboard is going to move, so that
    /// ``setPersistent(_:of:files:)`` need not copy them all in one operation (I15).
    /// - Parameter copied: what earlier calls have copied.
    /// - Returns: whether there is more to copy.
    func copyAhead(of name: PasteboardName, persistent: Bool, _ copied: inout CopiedContents) throws -> Bool {
        let board = try session.histories.existing(name)
        let target: Area = persistent ? .persistent : .volatile
        guard board.area != target else { return false }
        return try Relocation(session: session, copies: MovedFiles()).copyAhead(board, to: target, &copied)
    }

    /// Notes that nothing more is copied ahead. Copies that no version uses are deleted.
    func endCopying(_ copied: CopiedContents) {
        for place in copied.contents { session.unused.endCopying(place.key, to: place.value) }
    }
}

/// What has been copied to the other database before a pasteboard moves.
struct CopiedContents: Sendable {
    /// The key of the next row to copy.
    fileprivate(set) var next: UInt64 = 0
    /// The contents of which rows were copied, and where to.
    fileprivate(set) var contents: [UInt64: Area] = [:]
}

/// Moves pasteboards between the two databases.
private struct Relocation {
    let session: StoreSession
    let copies: MovedFiles

    /// Copies the rows with their checksums, then drops the old rows. A held version also stays in the old database
    /// with its content, and sensitive content stays in memory.
    func move(_ board: Board, to target: Area) throws {
        let usage = session.usage
        var moved = board
        moved.area = target
        let bytes = try charge(board, to: target)
        // Once `general` is in memory, its own earlier versions can make room, so its check comes last.
        let isGeneral = board.name == .general
        if target == .volatile, !isGeneral { try usage.checkMemory(with: bytes) }
        for count in board.versions {
            guard let version = try? session.versions.version(count, of: board.name, board.area) else { continue }
            try copy(version, to: target)
        }
        for count in board.versions { try session.versions.drop(count, board.area) }
        try session.boards.delete(board.id, board.name, board.area)
        usage.refund(Usage(pasteboards: 1), to: board.source, board.area)
        try session.boards.insert(moved)
        usage.charge(Usage(pasteboards: 1), to: board.source, target)
        if target == .volatile, isGeneral { try usage.checkMemory(with: bytes) }
    }

    /// Adds the versions that an earlier move did not leave in the target to the usage of their sources there.
    /// - Returns: the number of bytes that were added.
    private func charge(_ board: Board, to target: Area) throws -> UInt64 {
        try additions(of: board, to: target).reduce(0) { bytes, version in
            session.usage.charge(version.usage, to: version.source.application, target)
            return bytes &+ version.usage.bytes
        }
    }

    private func additions(of board: Board, to target: Area) throws -> [VersionRow] {
        try board.versions.compactMap { count in
            guard let version = try session.versions.intact(count, board.area) else { return nil }
            return try session.versions.intact(count, target) == nil ? version : nil
        }
    }

    /// Copies a version and its content, except rows that an earlier move left in the target, which are identical.
    private func copy(_ version: VersionRow, to target: Area) throws {
        var version = version
        version.pins = 0
        try session.transaction.insert(
            "INSERT OR IGNORE INTO @.version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", target,
            version.columns, in: .version)
        guard version.representations > 0 else { return }
        let range = ContentKeys(content: version.content).range(version.representations)
        // A promise that is still there from an earlier move may have been fulfilled since.
        try session.transaction.write(
            "DELETE FROM @.representation WHERE id BETWEEN ? AND ? AND kind = 3", target, range)
        var keys: [UInt64] = []
        // The condition on the key comes first, so that values that are there already are not read again.
        try session.transaction.write(
            """
            INSERT INTO @.representation SELECT * FROM #.representation AS old WHERE id BETWEEN ? AND ?
            AND NOT EXISTS (SELECT 1 FROM @.representation AS new WHERE new.id = old.id)
            RETURNING id, kind
            """, target, range
        ) { row in
            if row.integer(1) == RepresentationRow.fileKind { keys.append(row.number(0)) }
        }
        for key in keys where !copies.lost.contains(key) {
            guard let file = copies.taken[key] else { throw IntakeOutdated(toDisk: target == .persistent) }
            try session.files.attach(.file(file), key: key, target)
        }
    }

    /// Copies rows, except files and promises, in the order of their keys, until the portion is used up. Copies nothing if
    /// memory has no room for the pasteboard: then the move itself makes room, or fails.
    /// - Returns: whether there is more to copy.
    func copyAhead(_ board: Board, to target: Area, _ copied: inout CopiedContents) throws -> Bool {
        if copied.next == 0, target == .volatile {
            let bytes = try additions(of: board, to: target).reduce(0) { $0 &+ $1.usage.bytes }
            let (taken, room) = (session.usage.total(.volatile).bytes, session.configuration.limits.memoryBytes)
            guard taken <= room, bytes <= room - taken else { return false }
        }
        var portion = Portion()
        for (content, count) in try contents(of: board) {
            let keys = ContentKeys(content: content)
            let (first, last) = (max(copied.next, keys.number(0)), keys.number(count - 1))
            guard first <= last else { continue }
            var (end, isWhole): (UInt64?, Bool) = (nil, true)
            try session.transaction.statement(
                "SELECT id, kind, size FROM @.representation WHERE id BETWEEN ? AND ? ORDER BY id", board.area
            ).scan([.number(first), .number(last)]) { row in
                isWhole = portion.take(row)
                if isWhole { end = row.number(0) }
                return isWhole
            }
            if let end {
                if copied.contents.updateValue(target, forKey: content) == nil {
                    try session.unused.beginCopying(content, to: target)
                }
                try session.transaction.write(
                    """
                    INSERT OR IGNORE INTO @.representation SELECT * FROM #.representation
                    WHERE id BETWEEN ? AND ? AND kind < 2
                    """, target, [.number(first), .number(end)])
                copied.next = end + 1
            }
            guard isWhole else { return true }
        }
        return false
    }

    /// The contents of a pasteboard's intact versions, in the order of their keys, each with the number of its rows.
    private func contents(of board: Board) throws -> [(content: UInt64, count: Int)] {
        var counts: [UInt64: Int] = [:]
        for count in board.versions {
            guard let version = try session.versions.intact(count, board.area), version.representations > 0 else {
                continue
            }
            counts[version.content] = max(counts[version.content] ?? 0, version.representations)
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
