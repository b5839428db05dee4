/// A write of one row, as it is taken back by another: what an operation wrote that fails before it has a savepoint.
enum Reversal {
    /// The row of a pasteboard was changed; as it was.
    case board(Board)
    /// The row of a version was put in the place of another.
    case version(KnownVersion, replacedBy: UInt64)
    /// The row of a representation was put in the place of another, each with its key.
    case representation(RepresentationEntry, key: UInt64, replacedBy: UInt64, Area)
    /// A version was written, or deleted with its row as it was.
    case newVersion(UInt64, Area)
    case deletedVersion(VersionRow, Area)
    /// A representation was written under a key.
    case newRepresentation(UInt64, Area)
    /// A request was written under a key.
    case request(Int64)
    /// The row of a request was changed; as it was.
    case changedRequest(RequestRecord, Int64)
}

extension StoreSession {
    /// Writes a row as it was.
    func run(_ reversal: Reversal) throws {
        switch reversal {
        case .board(let board):
            try statement(Self.updateBoard, board.area).run(Self.columnsOfUpdate(board))
        case .version(let known, let count):
            try statement(Self.overwriteVersion, known.area).run(Self.columnsOfOverwrite(known.row, at: count))
        case .representation(let entry, let key, let at, let area):
            try statement(Self.overwriteRepresentation, area).run(Self.columnsOfOverwrite(entry, key: key, at: at))
        case .newVersion(let count, let area):
            try statement("DELETE FROM @.version WHERE change_count = ?", area).run([.number(count)])
        case .deletedVersion(let version, let area):
            let columns = version.columns
            try statement(Self.insertVersion, area).run(columns + [Checksum.of(columns, in: .version)])
        case .newRepresentation(let key, let area):
            try statement("DELETE FROM @.representation WHERE id = ?", area).run([.number(key)])
        case .changedRequest(let former, let sequence):
            try statement(Self.replaceRequest, .persistent).run(columns(former, sequence))
        case .request(let sequence):
            try statement("DELETE FROM @.open_request WHERE sequence = ?", .persistent).run([.integer(sequence)])
        }
    }
}
