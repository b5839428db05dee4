internal import IPCModel

/// What was changed in memory by operations that have not reached the disk, latest last.
struct UndoLog {
    /// One change.
    enum Change {
        case reservation(ChangeCounter)
        case boards(UInt64)
        case removals(UInt64)
        case moved
        case operationAdded
        case operationForgotten
        case requestBegun(RequestID, earlier: Int64?)
        case requestEnded(source: String)
        case requestForgotten(RequestLog.Ended, source: String)
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
        case .operationAdded: operations.takeBackAdded()
        case .operationForgotten: operations.takeBackForgotten()
        case .requestBegun(let id, let earlier): requests.takeBackBegun(id, earlier: earlier)
        case .requestEnded(let source): requests.takeBackEnded(source: source)
        case .requestForgotten(let ended, let source): requests.takeBackForgotten(ended, source: source)
        }
    }
}
