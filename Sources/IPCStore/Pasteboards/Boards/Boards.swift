internal import IPCModel

/// The tables `pasteboard` and `removal`, and the changes and removals of pasteboards in the current group.
final class Boards {
    private let transaction: GroupTransaction
    private let counter: ChangeCounter
    private let removalsKept: UInt64
    /// A cache of pasteboards by name; emptied whenever anything is undone.
    private var boards: [PasteboardName: Board] = [:]
    /// The number of rows in the tables `removal` of both databases.
    private var removalCount: UInt64 = 0
    private var moves: [PasteboardMove] = []

    init(_ transaction: GroupTransaction, _ counter: ChangeCounter) {
        (self.transaction, self.counter) = (transaction, counter)
        removalsKept = transaction.configuration.limits.removalsKept
        transaction.emptyOnUndo { [unowned self] in boards.removeAll(keepingCapacity: true) }
    }

    func load() throws { removalCount = try countRemovals(.persistent) }

    /// The database that contains a cached pasteboard; `nil` if the pasteboard is not cached.
    func knownArea(of name: PasteboardName) -> Area? { boards[name]?.area }

    // MARK: Rows

    private static let mostRemembered = 4_096

    /// The pasteboard as stored in its row. Some of its versions may have expired.
    func stored(_ name: PasteboardName) throws -> Board? {
        if let board = boards[name] { return board }
        for area in [Area.volatile, .persistent] {
            guard let found = try find(name, area) else { continue }
            guard let board = found.board else { throw PasteboardError.damaged(name, 0) }
            remember(board)
            return board
        }
        return nil
    }

    /// The key of the row with a name, and the pasteboard if the row is intact; `nil` if there is no such row.
    func find(_ name: PasteboardName, _ area: Area) throws -> (id: UInt64, board: Board?)? {
        try transaction.statement("SELECT * FROM @.pasteboard WHERE name = ?", area).first([.text(name.text)]) { row in
            let board = Board(row, area)
            return (row.number(0), board?.name == name ? board : nil)
        }
    }

    /// The pasteboard with a key; `nil` if there is none, or its row is damaged.
    func board(key: UInt64, _ area: Area) throws -> Board? {
        try transaction.statement("SELECT * FROM @.pasteboard WHERE id = ?", area).first([.number(key)]) {
            Board($0, area)
        }
    }

    private func remember(_ board: Board) {
        if boards.count >= Self.mostRemembered { boards.removeAll(keepingCapacity: true) }
        boards[board.name] = board
    }

    func insert(_ board: Board) throws {
        try transaction.insert(
            "INSERT INTO @.pasteboard VALUES (?, ?, ?, ?, ?, ?, ?, ?)", board.area, board.columns, in: .pasteboard)
        remember(board)
        noteMove(of: board)
    }

    func update(_ board: Board) throws {
        let columns = Self.columnsOfUpdate(board)
        if let earlier = boards[board.name] {
            try transaction.write(
                Self.updateBoard, board.area, columns,
                undoneBy: Self.updateBoard, { Self.columnsOfUpdate(earlier) })
        } else {
            try transaction.write(Self.updateBoard, board.area, columns)
        }
        boards[board.name] = board
        noteMove(of: board)
    }

    private static let updateBoard: StaticString =
        "UPDATE @.pasteboard SET change_count = ?, history_limit = ?, versions = ?, checksum = ? WHERE id = ?"

    private static func columnsOfUpdate(_ board: Board) -> [SQLValue] {
        let columns = board.columns
        return [columns[2], columns[3], columns[5], Checksum.of(columns, in: .pasteboard), .number(board.id)]
    }

    func delete(_ id: UInt64, _ name: PasteboardName, _ area: Area) throws {
        try transaction.write("DELETE FROM @.pasteboard WHERE id = ?", area, [.number(id)])
        boards[name] = nil
    }

    /// The intact pasteboards in one database whose names come after `after` and begin with `prefix`, sorted by name.
    func page(_ area: Area, after: String, limit: Int, prefix: String) throws -> [Board] {
        guard limit > 0 else { return [] }
        var page: [Board] = []
        // Starts at the greater of `prefix` and `after`: given both, SQLite might start at the smaller one.
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

    // MARK: Moves

    /// Returns the changes and removals in the finished group of operations, and forgets them.
    func takeMoves() -> [PasteboardMove] {
        defer { moves = [] }
        return moves
    }

    private func noteMove(of board: Board) {
        note(
            PasteboardMove(
                name: board.name, changeCount: board.changeCount,
                state: .init(isPersistent: board.isPersistent, historyLimit: board.historyLimit)))
    }

    /// Records a change or removal in the current group of operations. Watchers are notified once the group is on disk.
    private func note(_ move: PasteboardMove) {
        moves.append(move)
        transaction.onUndo { [self] in moves.removeLast() }
    }

    // MARK: Changes

    typealias Move = (at: UInt64, change: Changes.Change)

    /// The pasteboards that changed after `since`. Each change creates a version whose key is the change count, and few
    /// versions are newer than `since`, so this query needs no further index.
    func boardsMoved(since: UInt64, _ area: Area) throws -> [Move] {
        var moves: [Move] = []
        let statement = try transaction.statement(
            """
            SELECT p.* FROM @.version AS v JOIN @.pasteboard AS p ON p.id = v.pasteboard
            AND p.change_count = v.change_count WHERE v.change_count > ?
            """, area)
        try statement.query([.number(since)]) { row in
            guard let board = Board(row, area) else { return }
            moves.append((board.changeCount, .init(name: board.name, changeCount: board.changeCount)))
        }
        return moves
    }

    /// The removals after a change count, except those of pasteboards that exist again.
    func removals(since: UInt64, _ area: Area) throws -> [Move] {
        var latest: [PasteboardName: UInt64] = [:]
        try transaction.statement("SELECT * FROM @.removal WHERE change_count > ?", area).query([.number(since)]) {
            row in
            guard row.isIntact(.removal, checksum: 2), let name = try? PasteboardName(row.text(1)) else { return }
            latest[name] = max(latest[name] ?? 0, row.number(0))
        }
        return try latest.filter { try changeCount(of: $0.key) == nil }
            .map { ($0.value, .init(name: $0.key, changeCount: 0)) }
    }

    /// The change count of a pasteboard; 0 if its row is damaged, `nil` if there is none.
    private func changeCount(of name: PasteboardName) throws -> UInt64? {
        do { return try stored(name)?.changeCount } catch PasteboardError.damaged { return 0 }
    }

    /// The given pasteboards that changed after `since`. A missing pasteboard counts as removed if its removal is
    /// recorded, or if the records do not reach back to `since` (`isBeforeLog`).
    func moved(_ names: [PasteboardName], since: UInt64, isBeforeLog: Bool) throws -> [Move] {
        var moves: [Move] = []
        var missing: Set<PasteboardName> = []
        for name in Set(names) {
            guard let count = try changeCount(of: name) else {
                missing.insert(name)
                continue
            }
            if count > since { moves.append((count, .init(name: name, changeCount: count))) }
        }
        guard since > 0, !missing.isEmpty else { return moves }
        if isBeforeLog { return moves + missing.map { (since, .init(name: $0, changeCount: 0)) } }
        let removed = try Area.allCases.flatMap { try removals(since: since, $0) }
        return moves + removed.filter { missing.contains($0.change.name) }
    }

    func noteRemoval(of name: PasteboardName, at count: UInt64, _ area: Area) throws {
        try transaction.insert(
            "INSERT INTO @.removal VALUES (?, ?, ?)", area, [.number(count), .text(name.text)], in: .removal)
        note(PasteboardMove(name: name, changeCount: count, state: nil))
        transaction.onUndo { [self, removalCount] in self.removalCount = removalCount }
        removalCount += 1
        if removalCount > removalsKept { try forgetRemovals(area) }
    }

    /// Forgets the older half of the removals in one database. Forgetting so many at once makes this call rare.
    private func forgetRemovals(_ area: Area) throws {
        let kept = try countRemovals(area)
        let last = try transaction.statement(
            "SELECT change_count FROM @.removal ORDER BY change_count LIMIT 1 OFFSET ?", area
        ).first([.number(kept / 2)]) { $0.number(0) }
        guard let last else { return }
        try transaction.write("DELETE FROM @.removal WHERE change_count <= ?", area, [.number(last)])
        removalCount -= kept / 2 + 1
        try counter.forgetRemovals(to: last)
    }

    private func countRemovals(_ area: Area) throws -> UInt64 {
        try transaction.statement("SELECT count(*) FROM @.removal", area).first { $0.number(0) } ?? 0
    }
}
