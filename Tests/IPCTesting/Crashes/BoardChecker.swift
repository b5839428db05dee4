/// The part of ``HistoryChecker`` that judges boards. It is led through the beginnings and ends of the operations in
/// their order.
struct BoardChecker {
    private(set) var violations: [HistoryViolation] = []
    /// Every number that is known, from acknowledgements at any time and from reads so far, with its board and value.
    private var known: [UInt64: (board: String, value: History.Value?, isAcknowledged: Bool)] = [:]
    /// The largest number acknowledged so far, over all boards.
    private var largest: UInt64 = 0
    /// The largest number acknowledged or read so far, by board.
    private var newest: [String: UInt64] = [:]
    /// What had to be exceeded, or reached, when an operation began.
    private var floors: [Int: UInt64] = [:]
    private var written: [Key: Fate] = [:]
    /// The boards on which a write has begun. An empty board that is read before is as it was made.
    private var touched: Set<String> = []

    private struct Key: Hashable {
        let board: String
        let value: History.Value?
    }

    /// What became of the writes of one value to one board.
    private struct Fate {
        var unanswered = 0
        var refused = 0
        var acknowledged = 0
        /// The numbers with which unanswered writes were seen.
        var seen: Set<UInt64> = []
    }

    init(_ history: History) {
        for operation in history.operations {
            guard case .set(let board, let value) = operation.action else { continue }
            var fate = written[Key(board: board, value: value)] ?? Fate()
            switch operation.result {
            case .acknowledged(let count):
                fate.acknowledged += 1
                if let count { learn(count, board, value, operation) }
            case .refused: fate.refused += 1
            default: fate.unanswered += 1
            }
            written[Key(board: board, value: value)] = fate
        }
    }

    mutating func begin(_ operation: History.Operation) {
        switch operation.action {
        case .get(let board): floors[operation.number] = newest[board] ?? 0
        case .set(let board, _):
            touched.insert(board)
            floors[operation.number] = largest
        case .add, .list: floors[operation.number] = largest
        }
    }

    mutating func end(_ operation: History.Operation) {
        switch (operation.action, operation.result) {
        case (.set(let board, _), .acknowledged(let count?)):
            if let floor = floors[operation.number], count <= floor {
                report(.countFell, operation, "\(board) got change count \(count), after \(floor) was acknowledged.")
            }
            largest = max(largest, count)
            newest[board] = max(newest[board] ?? 0, count)
        case (.get(let board), .value(let count, let value)):
            checkRead(operation, board, count, value)
            newest[board] = max(newest[board] ?? 0, count)
        default: break
        }
    }

    private mutating func checkRead(
        _ operation: History.Operation, _ board: String, _ count: UInt64, _ value: History.Value?
    ) {
        let floor = floors[operation.number] ?? 0
        if count < floor {
            let isAcknowledged = known[floor].map { $0.isAcknowledged } ?? false
            report(
                isAcknowledged ? .lost : .countFell, operation,
                "\(board) has change count \(count) with \(value.shown), after \(floor) with "
                    + "\((known[floor]?.value).shown) had been \(isAcknowledged ? "acknowledged" : "read").")
        }
        // Count 0: the board is not there; what should be is above.
        guard count > 0 else { return }
        if let change = known[count] {
            if change.board != board {
                report(.countUsedTwice, operation, "\(count) is a change of \(change.board) and of \(board).")
            } else if change.value != value {
                report(
                    .mixed, operation,
                    "Change \(count) of \(board) shows \(value.shown); it was \(change.value.shown).")
            }
        } else {
            checkUnanswered(operation, board, count, value)
            known[count] = (board, value, false)
        }
    }

    /// A number that nobody was told: its value must be that of a write without an answer.
    private mutating func checkUnanswered(
        _ operation: History.Operation, _ board: String, _ count: UInt64, _ value: History.Value?
    ) {
        guard value != nil || touched.contains(board) else { return }
        let key = Key(board: board, value: value)
        let sentence = "Change \(count) of \(board) shows \(value.shown)"
        guard var fate = written[key] else {
            return report(.torn, operation, "\(sentence), which nobody wrote.")
        }
        fate.seen.insert(count)
        written[key] = fate
        guard fate.seen.count > fate.unanswered else { return }
        if fate.unanswered + fate.acknowledged > 0 {
            report(.duplicated, operation, "\(sentence), which was written under another number already.")
        } else {
            report(.refusedButApplied, operation, "\(sentence), which was refused.")
        }
    }

    private mutating func learn(
        _ count: UInt64, _ board: String, _ value: History.Value?, _ operation: History.Operation
    ) {
        if let other = known[count] {
            report(.countUsedTwice, operation, "\(count) was acknowledged for \(other.board) and for \(board).")
        } else {
            known[count] = (board, value, true)
        }
    }

    private mutating func report(_ kind: HistoryViolation.Kind, _ operation: History.Operation, _ text: String) {
        violations.append(HistoryViolation(kind: kind, operation: operation.number, description: text))
    }
}
