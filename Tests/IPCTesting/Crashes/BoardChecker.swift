/// The part of ``HistoryChecker`` that judges boards. It must get the starts and completions of operations in order.
struct BoardChecker {
    private(set) var violations: [HistoryViolation] = []
    private(set) var writes: BoardWrites
    private(set) var versions: BoardVersions
    /// The largest change count acknowledged or read so far, over all boards.
    private var largest: UInt64 = 0
    /// The largest change count acknowledged or read so far, for each board.
    private var newest: [String: UInt64] = [:]
    /// A lower bound for each operation's change count, by the operation's number: a write must exceed it, a read must
    /// reach it.
    private var floors: [Int: UInt64] = [:]
    /// For each take, by id: the change count of the board when the take, which may be repeated, first began.
    private var takeFloors: [String: UInt64] = [:]
    private var begun: Set<Int> = []
    /// The boards on which a write has started. Before that, an empty board is in its initial state.
    private var touched: Set<String> = []

    init(_ history: History) {
        writes = BoardWrites(history)
        versions = BoardVersions(acknowledged: writes)
        for (count, operations) in writes.acknowledged.sorted(by: { $0.key < $1.key }) {
            let boards = operations.compactMap(\.action.written?.board)
            for (operation, board) in zip(operations, boards).dropFirst() {
                report(.countUsedTwice, operation, "\(count) was acknowledged for \(boards[0]) and for \(board).")
            }
        }
    }

    mutating func begin(_ operation: History.Operation) {
        begun.insert(operation.number)
        switch operation.action {
        case .get(let board): floors[operation.number] = newest[board] ?? 0
        case .take(let board, let id):
            takeFloors[id] = takeFloors[id] ?? newest[board] ?? 0
            floors[operation.number] = takeFloors[id]
        default:
            if let board = operation.action.written?.board { touched.insert(board) }
            floors[operation.number] = largest
        }
    }

    mutating func end(_ operation: History.Operation) {
        switch (operation.action, operation.result) {
        case (.get(let board), .items(let count, let items)):
            checkRead(operation, board, count, items)
            reach(count, board)
        case (.take(let board, _), .items(let count, let items)):
            checkRead(operation, board, count, items)
            // A take that got items leaves an empty version with the next change count.
            reach(items.isEmpty ? count : count + 1, board)
        case (let action, .acknowledged(let count?)):
            guard let board = action.written?.board else { return }
            checkGrowth(operation, board, count)
            reach(count, board)
        default: break
        }
    }

    private mutating func reach(_ count: UInt64, _ board: String) {
        largest = max(largest, count)
        newest[board] = max(newest[board] ?? 0, count)
    }

    private mutating func checkGrowth(_ operation: History.Operation, _ board: String, _ count: UInt64) {
        guard let floor = floors[operation.number], count <= floor else { return }
        report(.countFell, operation, "\(board) got change count \(count), after \(floor) was acknowledged or read.")
    }

    private mutating func checkRead(
        _ operation: History.Operation, _ board: String, _ count: UInt64, _ items: [History.Value]
    ) {
        checkFloor(operation, board, count, items)
        // Count 0 means that the board does not exist. If it should exist, `checkFloor` has already reported the error.
        guard count > 0 else { return }
        guard let version = versions[count] else { return checkUnanswered(operation, board, count, items) }
        if version.board != board {
            report(.countUsedTwice, operation, "\(count) is a change of \(version.board) and of \(board).")
        } else if let written = version.items, written != items {
            report(
                .mixed, operation,
                "Change \(count) of \(board) shows \(items.shown); it was \(written.shown).")
        } else if version.items == nil, let last = version.maker?.action.written?.value {
            guard items.last == last else {
                return report(
                    .mixed, operation,
                    "Change \(count) of \(board) shows \(items.shown); it added \(last.shown) after the others.")
            }
            if checkItems(operation, board, count, items) { versions.learn(items, of: count) }
        }
    }

    private mutating func checkFloor(
        _ operation: History.Operation, _ board: String, _ count: UInt64, _ items: [History.Value]
    ) {
        let floor = floors[operation.number] ?? 0
        guard count < floor else { return }
        let before = versions[floor]
        let isAcknowledged = before?.isAcknowledged ?? false
        let shown = before?.items.map { " with \($0.shown)" } ?? ""
        report(
            isAcknowledged ? .lost : .countFell, operation,
            "\(board) has change count \(count) with \(items.shown), after \(floor)\(shown) had been "
                + "\(isAcknowledged ? "acknowledged" : "read").")
    }

    /// Checks that each item was written to this board, by a write that had started.
    private mutating func checkItems(
        _ operation: History.Operation, _ board: String, _ count: UInt64, _ items: [History.Value]
    ) -> Bool {
        for item in items {
            let fate = writes.fates[BoardWrites.Key(board: board, value: item)]
            guard fate?.operations.contains(where: { begun.contains($0.number) }) ?? false else {
                report(
                    .torn, operation, "Change \(count) of \(board) shows \(items.shown); nobody wrote \(item.shown).")
                return false
            }
        }
        return true
    }

    /// Judges a version whose change count no writer received: its last item must come from a write that got no answer.
    private mutating func checkUnanswered(
        _ operation: History.Operation, _ board: String, _ count: UInt64, _ items: [History.Value]
    ) {
        let version = BoardVersions.Version(board: board, items: items, isAcknowledged: false)
        versions.insert(version, count)
        guard !items.isEmpty || touched.contains(board) else { return }
        guard checkItems(operation, board, count, items) else { return }
        let sentence = "Change \(count) of \(board) shows \(items.shown)"
        guard let fate = writes.see(count, BoardWrites.Key(board: board, value: items.last)) else {
            return report(.torn, operation, "\(sentence), which nobody wrote.")
        }
        if fate.seen.count > fate.unanswered {
            let isRepeated = fate.unanswered + fate.acknowledged > 0
            return report(
                isRepeated ? .duplicated : .refusedButApplied, operation,
                "\(sentence), which was " + (isRepeated ? "written with another change count already." : "refused."))
        }
        guard let maker = fate.only, maker.action.written != nil else { return }
        if items.count > 1, !maker.action.appends {
            report(.torn, operation, "\(sentence); \(items[items.count - 1].shown) was written alone.")
        }
        versions.insert(
            BoardVersions.Version(board: board, maker: maker, items: items, isAcknowledged: false), count)
        checkGrowth(maker, board, count)
    }

    private mutating func report(_ kind: HistoryViolation.Kind, _ operation: History.Operation, _ text: String) {
        violations.append(HistoryViolation(kind: kind, operation: operation.number, description: text))
    }
}
