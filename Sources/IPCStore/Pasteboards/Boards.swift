internal import IPCModel

/// The tables `pasteboard` and `removal`: which pasteboards there are, how they have moved, and which were removed.
final class Boards {
    private let transaction: GroupTransaction
    private let counter: ChangeCounter
    private let removalsKept: UInt64
    /// Pasteboards that were read, by name; emptied when anything is undone.
    private var boards: [PasteboardName: Board] = [:]
    /// The number of pasteboards, in both databases.
    private(set) var count: UInt64 = 0
    /// The number of removals that are kept, in both databases.
    private var removalCount: UInt64 = 0
    /// The pasteboards that the group which gathers has moved.
    private var moves: [PasteboardMove] = []

    init(_ transaction: GroupTransaction, _ counter: ChangeCounter) {
        (self.transaction, self.counter) = (transaction, counter)
        removalsKept = transaction.configuration.limits.removalsKept
        transaction.emptyOnUndo { [unowned self] in boards.removeAll(keepingCapacity: true) }
    }

    /// Counts what the databases have.
    func load() throws {
        for area in Area.allCases {
            count += try transaction.statement("SELECT count(*) FROM @.pasteboard", area).first { $0.number(0) } ?? 0
            removalCount +=
                try transaction.statement("SELECT count(*) FROM @.removal", area).first { $0.number(0) } ?? 0
        }
    }

    /// The place of a pasteboard that was read lately; nil for any other.
    func knownArea(of name: PasteboardName) -> Area? { boards[name]?.area }

    // MARK: Rows

    /// The most pasteboards whose rows are kept in memory.
    private static let mostRemembered = 4_096

    /// A pasteboard by name, as it stands.
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

    /// The key of the row that stands under a name, and the pasteboard where the row is intact.
    func find(_ name: PasteboardName, _ area: Area) throws -> (id: UInt64, board: Board?)? {
        try transaction.statement("SELECT * FROM @.pasteboard WHERE name = ?", area).first([.text(name.text)]) { row in
            let board = Board(row, area)
            return (row.number(0), board?.name == name ? board : nil)
        }
    }

    /// The pasteboard whose row has a key; nil where there is none, or it is damaged.
    func board(key: UInt64, _ area: Area) throws -> Board? {
        try transaction.statement("SELECT * FROM @.pasteboard WHERE id = ?", area).first([.number(key)]) {
            Board($0, area)
        }
    }

    private func remember(_ board: Board) {
        if boards.count >= Self.mostRemembered { boards.removeAll(keepingCapacity: true) }
        boards[board.name] = board
    }

    /// Writes the row of a new pasteboard.
    func insert(_ board: Board) throws {
        try transaction.insert(
            "INSERT INTO @.pasteboard VALUES (?, ?, ?, ?, ?, ?, ?, ?)", board.area, board.columns, in: .pasteboard)
        setCount(count + 1)
        remember(board)
        note(PasteboardMove(board))
    }

    /// Writes the changed row of a pasteboard.
    func update(_ board: Board) throws {
        let columns = Self.columnsOfUpdate(board)
        if let earlier = boards[board.name] {
            try transaction.write(
                Self.updateBoard, board.area, columns,
                reversal: { [self] in
                    try transaction.statement(Self.updateBoard, earlier.area).run(Self.columnsOfUpdate(earlier))
                })
        } else {
            try transaction.write(Self.updateBoard, board.area, columns)
        }
        boards[board.name] = board
        note(PasteboardMove(board))
    }

    private static let updateBoard: StaticString =
        "UPDATE @.pasteboard SET change_count = ?, history_limit = ?, versions = ?, checksum = ? WHERE id = ?"

    private static func columnsOfUpdate(_ board: Board) -> [SQLValue] {
        let columns = board.columns
        return [columns[2], columns[3], columns[5], Checksum.of(columns, in: .pasteboard), .number(board.id)]
    }

    /// Removes the row of a pasteboard.
    func delete(_ id: UInt64, _ name: PasteboardName, _ area: Area) throws {
        try transaction.write("DELETE FROM @.pasteboard WHERE id = ?", area, [.number(id)])
        setCount(count - 1)
        boards[name] = nil
    }

    private func setCount(_ changed: UInt64) {
        transaction.onUndo { [self, count] in self.count = count }
        count = changed
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

    // MARK: Moves

    /// The pasteboards that the group has moved which has just ended.
    func takeMoves() -> [PasteboardMove] {
        defer { moves = [] }
        return moves
    }

    /// Notes that a pasteboard has moved; watchers are notified when the group is on the disk.
    private func note(_ move: PasteboardMove) {
        moves.append(move)
        transaction.onUndo { [self] in moves.removeLast() }
    }
}

// MARK: Changes

extension Boards {
    typealias Move = (at: UInt64, change: Changes.Change)

    /// Each change is a version, and the version's key is the change count: those behind a count are few, and no index
    /// has to be kept up for this.
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

    /// Removals after a count, of names that nobody has made anew.
    func removals(since: UInt64, _ area: Area) throws -> [Move] {
        var removed: [(UInt64, PasteboardName)] = []
        try transaction.statement("SELECT * FROM @.removal WHERE change_count > ?", area).query([.number(since)]) {
            row in
            guard row.isIntact(.removal, checksum: 2), let name = try? PasteboardName(row.text(1)) else { return }
            removed.append((row.number(0), name))
        }
        return try latestOfEach(removed).filter { try !isThere($0.name) }
            .map { ($0.at, .init(name: $0.name, changeCount: 0)) }
    }

    private func latestOfEach(_ removed: [(UInt64, PasteboardName)]) -> [(name: PasteboardName, at: UInt64)] {
        var latest: [PasteboardName: UInt64] = [:]
        for (count, name) in removed { latest[name] = max(latest[name] ?? 0, count) }
        return latest.map { ($0.key, $0.value) }
    }

    private enum Standing {
        case missing, damaged
        case at(UInt64)
    }

    private func standing(_ name: PasteboardName) throws -> Standing {
        do {
            return try stored(name).map { .at($0.changeCount) } ?? .missing
        } catch PasteboardError.damaged {
            return .damaged
        }
    }

    /// Whether a pasteboard has that name, be its row damaged or not.
    private func isThere(_ name: PasteboardName) throws -> Bool {
        if case .missing = try standing(name) { false } else { true }
    }

    /// Which of some pasteboards moved. One that is not there was removed, if the log says so, or may have been, if the
    /// log does not reach back.
    func moved(_ names: [PasteboardName], since: UInt64, isBeforeLog: Bool) throws -> [Move] {
        var moves: [Move] = []
        var missing: Set<PasteboardName> = []
        for name in Set(names) {
            switch try standing(name) {
            case .missing: missing.insert(name)
            case .damaged: continue
            case .at(let count):
                if count > since { moves.append((count, .init(name: name, changeCount: count))) }
            }
        }
        guard since > 0, !missing.isEmpty else { return moves }
        if isBeforeLog { return moves + missing.map { (since, .init(name: $0, changeCount: 0)) } }
        let removed = try Area.allCases.flatMap { try removals(since: since, $0) }
        return moves + removed.filter { missing.contains($0.change.name) }
    }

    /// Writes down a removal, and forgets the oldest ones where there are too many.
    func noteRemoval(of name: PasteboardName, at count: UInt64, _ area: Area) throws {
        try transaction.insert(
            "INSERT INTO @.removal VALUES (?, ?, ?)", area, [.number(count), .text(name.text)], in: .removal)
        note(PasteboardMove(name: name, changeCount: count, state: nil))
        transaction.onUndo { [self, removalCount] in self.removalCount = removalCount }
        removalCount += 1
        guard removalCount > removalsKept else { return }
        try forgetRemovals(area)
    }

    /// Forgets the older half of the removals of one database, so that this is seldom.
    private func forgetRemovals(_ area: Area) throws {
        let kept = try transaction.statement("SELECT count(*) FROM @.removal", area).first { $0.number(0) } ?? 0
        let last = try transaction.statement(
            "SELECT change_count FROM @.removal ORDER BY change_count LIMIT 1 OFFSET ?", area
        ).first([.number(kept / 2)]) { $0.number(0) }
        guard let last else { return }
        try transaction.write("DELETE FROM @.removal WHERE change_count <= ?", area, [.number(last)])
        removalCount -= kept / 2 + 1
        try counter.forgetRemovals(to: last)
    }
}
