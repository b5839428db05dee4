package import IPCModel

/// What is known of a pasteboard without reading its content.
package struct PasteboardState: Sendable, Hashable {
    package let name: PasteboardName
    /// The change count of the current version.
    package let changeCount: UInt64
    package let isPersistent: Bool
    /// The most versions that are kept beside the current one.
    package let historyLimit: UInt32
    /// When the pasteboard was made, in milliseconds since 1970.
    package let created: UInt64
    /// The application id of who made it; empty where none was stated.
    package let source: String
    /// The change counts that can be read, oldest first, the current one last.
    package let versions: [UInt64]
}

extension PasteboardState {
    init(_ board: Board) {
        self.init(
            name: board.name, changeCount: board.changeCount, isPersistent: board.area == .persistent,
            historyLimit: board.historyLimit, created: board.created, source: board.source,
            versions: board.versions)
    }
}

extension StoreTransaction {
    /// Makes a pasteboard, empty, with a change count of its own; one that is there already stays as it is.
    ///
    /// `LimitExceeded` where there are as many as allowed, in all or of this source.
    package func createPasteboard(
        _ name: PasteboardName, persistent: Bool, source: Source = .nobody
    ) throws -> (pasteboard: PasteboardState, isNew: Bool) {
        if let board = try session.board(name) { return (PasteboardState(board), false) }
        let area: Area = persistent ? .persistent : .volatile
        if area == .volatile, name != .general { try session.counter.noteVolatilePasteboard() }
        let board = try session.createBoard(
            name, area, historyLimit: session.defaultHistoryLimit, source: source, at: now)
        try session.usage.check(with: Usage(pasteboards: 1), of: source.application, area)
        return (PasteboardState(board), true)
    }

    /// A pasteboard by name; nil where there is none.
    package func pasteboard(_ name: PasteboardName) throws -> PasteboardState? {
        try session.board(name).map(PasteboardState.init)
    }

    /// A page of the pasteboards in the order of their names, byte by byte: those behind `after`, at most `limit`, with
    /// names that begin with `prefix`. One whose row is damaged is left out.
    package func pasteboards(
        after: PasteboardName? = nil, limit: Int, prefix: String = ""
    ) throws -> [PasteboardState] {
        let boards = try Area.allCases.flatMap { area in
            try session.page(area, after: after?.text ?? "", limit: limit, prefix: prefix)
        }
        return boards.sorted { $0.name < $1.name }.prefix(max(0, limit)).map(PasteboardState.init)
    }

    /// How many pasteboards there are.
    package var pasteboardCount: UInt64 { session.boardCount }

    /// Removes a pasteboard with its versions, and gives the change count of its removal.
    @discardableResult
    package func removePasteboard(_ name: PasteboardName) throws -> UInt64 {
        guard name != .general else { throw PasteboardError.generalCannotBeRemoved }
        return try session.removeBoard(name)
    }

    /// Sets how many versions are kept beside the current one, and lets go of those that are too many.
    package func setHistoryLimit(_ limit: UInt32, of name: PasteboardName) throws {
        do {
            try session.configuration.limits.check(\.historyMost, request: UInt64(limit))
        } catch {
            throw PasteboardError.limitExceeded(error)
        }
        var board = try session.existingBoard(name)
        guard board.historyLimit != limit else { return }
        board.historyLimit = limit
        try session.trimVersions(of: &board)
        try session.update(board)
    }
}

extension StoreSession {
    /// The history limit of a pasteboard that is made.
    var defaultHistoryLimit: UInt32 { UInt32(min(configuration.limits.history, 100)) }

    /// Makes a pasteboard that is not there; its first version is empty.
    func createBoard(
        _ name: PasteboardName, _ area: Area, historyLimit: UInt32, source: Source, at now: UInt64
    ) throws -> Board {
        let count = try counter.take()
        let board = Board(
            id: count, name: name, area: area, historyLimit: historyLimit, created: now,
            source: source.application, versions: [count])
        try insert(board)
        usage.charge(Usage(pasteboards: 1), to: board.source, area)
        try insert(VersionRow(changeCount: count, pasteboard: count, source: .nobody, time: now), area)
        transaction.onUndo { [self, boardCount] in self.boardCount = boardCount }
        boardCount += 1
        return board
    }

    /// Makes the pasteboard that always exists, in memory, unless it was set persistent.
    func createGeneral() throws {
        guard try find(.general, .persistent) == nil else { return }
        _ = try createBoard(
            .general, .volatile, historyLimit: defaultHistoryLimit, source: .nobody, at: configuration.now())
    }

    /// Removes a pasteboard, also one whose row is damaged; the versions of that one stay behind unseen.
    func removeBoard(_ name: PasteboardName) throws -> UInt64 {
        for area in Area.allCases {
            guard let found = try find(name, area) else { continue }
            let count = try counter.take()
            for version in found.board?.versions ?? [] { try dropVersion(version, area) }
            try transaction.write("DELETE FROM @.pasteboard WHERE id = ?", area, [.number(found.id)])
            boards[name] = nil
            usage.refund(Usage(pasteboards: 1), to: found.board?.source ?? "", area)
            transaction.onUndo { [self, boardCount] in self.boardCount = boardCount }
            boardCount -= 1
            try noteRemoval(of: name, at: count, area)
            return count
        }
        throw PasteboardError.noSuchPasteboard(name)
    }

    func page(_ area: Area, after: String, limit: Int, prefix: String) throws -> [Board] {
        guard limit > 0 else { return [] }
        var page: [Board] = []
        // One bound: of two SQLite would look one up, and pass over the rows to the other.
        let first = after.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : after
        let statement = try transaction.statement("SELECT * FROM @.pasteboard WHERE name >= ? ORDER BY name", area)
        try statement.scan([.text(first)]) { row in
            if row.raw(1).elementsEqual(after.utf8) { return true }
            guard row.raw(1).starts(with: prefix.utf8) else { return false }
            if let board = Board(row, area) { page.append(board) }
            return page.count < limit
        }
        return page
    }
}
