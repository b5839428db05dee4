internal import IPCModel

/// What was changed in memory by operations that have not reached the disk, latest last.
struct UndoLog {
    /// One change.
    enum Change {
        case reservation(ChangeCounter)
        case boards(UInt64)
        case removals(UInt64)
        case moved
        case usage(Usage, source: String, Area)
        case deadline(UInt64, UInt64?)
        case sensitive(UInt64, SensitiveContent?)
        case operationAdded
        case operationForgotten
        case requestBegun(RequestID, earlier: Int64?)
        case requestEnded(RequestPayer)
        case requestForgotten(RequestLog.Ended, RequestPayer)
        case requestDropped(RequestID, Int64, RequestPayer)
        case memoryFile(UInt64, earlier: ContentFile?)
        case blobAttached(UInt64, ContentFile.Taken)
        case blobReleased(UInt64)
    }

    private var changes: [Change] = []

    /// The place to go back to.
    var mark: Int { changes.count }

    mutating func append(_ change: Change) { changes.append(change) }

    /// The latest change above the mark, taken off the log.
    mutating func pop(to mark: Int) -> Change? { changes.count > mark ? changes.removeLast() : nil }

    mutating func removeAll() { changes.removeAll(keepingCapacity: true) }
}

extension StoreSession {
    /// Takes one change in memory back.
    func revert(_ change: UndoLog.Change) {
        switch change {
        case .reservation(let earlier): counter.takeBack(to: earlier)
        case .boards(let count): boardCount = count
        case .removals(let count): removalCount = count
        case .moved: moves.removeLast()
        case .usage(let earlier, let source, let area): usage.set(earlier, of: source, area)
        case .deadline(let count, let earlier): deadlines.set(count, earlier)
        case .sensitive(let count, let earlier): sensitive[count] = earlier
        case .operationAdded: operations.takeBackAdded()
        case .operationForgotten: operations.takeBackForgotten()
        case .requestBegun(let id, let earlier): requests.takeBackBegun(id, earlier: earlier)
        case .requestEnded(let payer): requests.takeBackEnded(payer)
        case .requestForgotten(let ended, let payer): requests.takeBackForgotten(ended, payer)
        case .requestDropped(let id, let sequence, let payer): requests.takeBackDropped(id, sequence, payer)
        case .memoryFile(let key, let earlier): takeBackMemoryFile(key, earlier: earlier)
        case .blobAttached(let key, let taken): takeBackAttached(key, taken)
        case .blobReleased(let key): takeBackReleased(key)
        }
    }
}

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
