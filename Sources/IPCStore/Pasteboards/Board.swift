package import IPCModel

/// A pasteboard as its row has it.
struct Board {
    /// The change count with which it was made.
    let id: UInt64
    let name: PasteboardName
    var area: Area
    var historyLimit: UInt32
    let created: UInt64
    /// The application id of who made it; empty where none was stated.
    let source: String
    /// The change counts of the versions that it keeps, oldest first; the last is the current one.
    var versions: [UInt64]

    /// Whether the current version goes with its first reader; nil where its row was not read yet.
    var isCurrentForOneReader: Bool?

    var changeCount: UInt64 { versions[versions.count - 1] }

    /// The columns of the row without the checksum.
    var columns: [SQLValue] {
        [
            .number(id), .text(name.text), .number(changeCount), .number(UInt64(historyLimit)), .number(created),
            .bytes(packedVersions), .text(source),
        ]
    }

    private var packedVersions: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(versions.count * 8)
        for version in versions {
            withUnsafeBytes(of: version.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}

extension Board {
    /// Reads a row of `SELECT *`; nil where it is damaged.
    init?(_ row: SQLRow, _ area: Area) {
        guard row.isIntact(.pasteboard, checksum: 7), let name = try? PasteboardName(row.text(1)) else { return nil }
        let packed = row.raw(5)
        guard packed.count % 8 == 0 else { return nil }
        self.init(
            id: row.number(0), name: name, area: area, historyLimit: UInt32(truncatingIfNeeded: row.integer(3)),
            created: row.number(4), source: row.text(6),
            versions: stride(from: 0, to: packed.count, by: 8).map {
                UInt64(littleEndian: packed.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            })
        guard !versions.isEmpty, versions.allSatisfy({ $0 > 0 && $0 <= ChangeCounter.greatest }) else { return nil }
    }
}

extension StoreSession {
    /// The most pasteboards whose rows are kept in memory.
    private static let boardsRemembered = 4_096

    /// A pasteboard by name, with nothing of it that is over; nil where there is none, an error where its row is
    /// damaged.
    func board(_ name: PasteboardName) throws -> Board? {
        try storedBoard(name).map(withoutOver)
    }

    /// A pasteboard by name, as it stands.
    func storedBoard(_ name: PasteboardName) throws -> Board? {
        if let board = boards[name] { return board }
        for area in [Area.volatile, .persistent] {
            guard let found = try find(name, area) else { continue }
            guard let board = found.board else { throw PasteboardError.damaged(name, 0) }
            remember(board)
            return board
        }
        return nil
    }

    /// A pasteboard that has to be there.
    func existingBoard(_ name: PasteboardName) throws -> Board {
        guard let board = try board(name) else { throw PasteboardError.noSuchPasteboard(name) }
        return board
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

    func remember(_ board: Board) {
        if boards.count >= Self.boardsRemembered { boards.removeAll(keepingCapacity: true) }
        boards[board.name] = board
    }

    /// Writes the row of a new pasteboard.
    func insert(_ board: Board) throws {
        try transaction.insert(
            "INSERT INTO @.pasteboard VALUES (?, ?, ?, ?, ?, ?, ?, ?)", board.area, board.columns, in: .pasteboard)
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

    static let updateBoard: StaticString =
        "UPDATE @.pasteboard SET change_count = ?, history_limit = ?, versions = ?, checksum = ? WHERE id = ?"

    static func columnsOfUpdate(_ board: Board) -> [SQLValue] {
        let columns = board.columns
        return [columns[2], columns[3], columns[5], Checksum.of(columns, in: .pasteboard), .number(board.id)]
    }
}

/// A pasteboard that moved to a new change count, or was removed.
package struct PasteboardMove: Sendable, Hashable {
    package let name: PasteboardName
    /// The change count that the move took.
    package let changeCount: UInt64
    /// What it is now; nil once it is removed.
    package let state: State?

    package struct State: Sendable, Hashable {
        package let isPersistent: Bool
        package let historyLimit: UInt32
    }
}

extension PasteboardMove {
    init(_ board: Board) {
        self.init(
            name: board.name, changeCount: board.changeCount,
            state: State(isPersistent: board.area == .persistent, historyLimit: board.historyLimit))
    }
}
