/// All writes to boards and their results, collected from the whole history before it is judged.
struct BoardWrites {
    /// An item on a board, by value; an empty version has none.
    struct Key: Hashable {
        let board: String
        let value: History.Value?
    }

    /// The operations that put one value on one board, and their results. A take counts as an operation that puts an
    /// empty version on the board.
    struct Fate {
        /// The operations, in the order in which they started.
        var operations: [History.Operation] = []
        /// The number of operations that may have taken effect with a change count that no writer received.
        var unanswered = 0
        var refused = 0
        var acknowledged = 0
        /// The change counts with which the value was read, but which no writer received.
        var seen: Set<UInt64> = []

        /// The operation that put the value on the board, if there was only one; otherwise `nil`.
        var only: History.Operation? { operations.count == 1 ? operations[0] : nil }
    }

    private(set) var fates: [Key: Fate] = [:]
    /// The acknowledged change counts, each with the operations that received it.
    private(set) var acknowledged: [UInt64: [History.Operation]] = [:]
    /// All takes. A take and its repetitions have the same id and are one element.
    private(set) var takes: [(id: String, operations: [History.Operation])] = []

    init(_ history: History) {
        var placeOfTake: [String: Int] = [:]
        for operation in history.operations {
            switch operation.action {
            case .take(_, let id):
                let place = placeOfTake[id] ?? takes.count
                placeOfTake[id] = place
                if place == takes.count { takes.append((id, [])) }
                takes[place].operations.append(operation)
            default: noteWrite(operation)
            }
        }
        for take in takes { noteTake(take.operations) }
    }

    /// Records that a read showed this board and value with a change count that no writer received.
    mutating func see(_ count: UInt64, _ key: Key) -> Fate? {
        fates[key]?.seen.insert(count)
        return fates[key]
    }

    private mutating func noteWrite(_ operation: History.Operation) {
        guard let (board, value) = operation.action.written else { return }
        var fate = fates[Key(board: board, value: value)] ?? Fate()
        fate.operations.append(operation)
        switch operation.result {
        case .acknowledged(let count):
            fate.acknowledged += 1
            if let count { acknowledged[count, default: []].append(operation) }
        case .refused: fate.refused += 1
        default: fate.unanswered += 1
        }
        fates[Key(board: board, value: value)] = fate
    }

    /// Notes that a take leaves an empty version whose change count no writer receives, unless the board was empty.
    private mutating func noteTake(_ repeated: [History.Operation]) {
        guard let first = repeated.first, case .take(let board, _) = first.action else { return }
        let tookNothing = repeated.contains {
            if case .items(_, []) = $0.result { true } else { $0.result == .refused }
        }
        guard !tookNothing else { return }
        var fate = fates[Key(board: board, value: nil)] ?? Fate()
        fate.operations.append(first)
        fate.unanswered += 1
        fates[Key(board: board, value: nil)] = fate
    }
}

extension History.Action {
    /// The board and the item that a write puts there; `nil` if this is not a write to a board.
    var written: (board: String, value: History.Value?)? {
        switch self {
        case .set(let board, let value), .compareAndSet(let board, _, let value): (board, value)
        case .append(let board, let value): (board, value)
        case .get, .take, .add, .list: nil
        }
    }

    /// Whether the write keeps the items that are on the board and adds its own after them.
    var appends: Bool { if case .append = self { true } else { false } }
}
