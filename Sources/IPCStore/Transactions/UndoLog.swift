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
