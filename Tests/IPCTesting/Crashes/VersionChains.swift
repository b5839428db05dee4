/// The part of ``HistoryChecker`` that judges how the versions of a board follow each other (compare-and-sets, added
/// items, and takes). It runs once all versions that can be inferred are known.
struct VersionChains {
    private(set) var violations: [HistoryViolation] = []
    private var versions: BoardVersions
    private let writes: BoardWrites
    /// For each item that an unanswered write added and that was never read as the last item: the change count of the
    /// first version known to contain it.
    private var between: [BoardWrites.Key: UInt64] = [:]
    /// For each board, the number of empty versions that must have existed although nobody read them.
    private var emptied: [String: Int] = [:]

    init(_ versions: BoardVersions, _ writes: BoardWrites) {
        self.versions = versions
        self.writes = writes
        for take in writes.takes { checkTake(take.operations) }
        checkTakenItems()
        var boards: [String: [UInt64]] = [:]
        for count in versions.known.keys.sorted() { boards[versions[count]?.board ?? "", default: []].append(count) }
        for counts in boards.sorted(by: { $0.key < $1.key }).map(\.value) {
            // Start with the newest version: judging it reveals the items of the versions before it.
            for place in counts.indices.reversed() {
                checkPredecessor(of: counts[place], after: place > 0 ? counts[place - 1] : nil)
            }
        }
    }

    // MARK: Takes

    /// Checks that a take and its repetitions got the same answer, and that no other caller got the items.
    private mutating func checkTake(_ repeated: [History.Operation]) {
        let answered = repeated.filter { $0.result != .unknown && $0.result != .refused }
        guard let first = answered.first, case .items(let count, let items) = first.result else { return }
        for operation in answered.dropFirst() where operation.result != first.result {
            report(
                .answeredDifferently, operation,
                "A take that was repeated got \(operation.result.shown) after \(first.result.shown).")
        }
        guard !items.isEmpty else { return }
        if versions[count]?.taker != nil {
            report(.takenTwice, first, "Change \(count) with \(items.shown) was taken by two callers.")
        } else {
            versions.take(count, by: first)
        }
    }

    /// Checks that no item is in two versions that were taken.
    private mutating func checkTakenItems() {
        var found: [BoardWrites.Key: UInt64] = [:]
        for (count, version) in versions.known.sorted(by: { $0.key < $1.key }) {
            guard let taker = version.taker else { continue }
            for item in version.items ?? [] {
                let key = BoardWrites.Key(board: version.board, value: item)
                if let other = found[key] {
                    report(.takenTwice, taker, "\(item.shown) was taken with change \(other) and with \(count).")
                }
                found[key] = count
            }
        }
    }

    // MARK: Changes based on a version

    private mutating func checkPredecessor(of count: UInt64, after before: UInt64?) {
        guard let version = versions[count], let maker = version.maker else { return }
        if case .compareAndSet(_, let expected, _) = maker.action {
            checkExpectation(maker, version.board, expected, count, before)
        } else if maker.action.appends, let items = version.items {
            checkBase(maker, version.board, Array(items.dropLast()), count, before)
        }
    }

    private mutating func checkExpectation(
        _ maker: History.Operation, _ board: String, _ expected: UInt64, _ count: UInt64, _ before: UInt64?
    ) {
        let sentence = "Change \(count) of \(board) was made only if it had \(expected)"
        if let before, before > expected {
            report(.lostUpdate, maker, "\(sentence), but \(before) lies between.")
        } else if expected >= count {
            report(.countFell, maker, "\(sentence), which is not smaller than its own change count.")
        } else if versions[expected]?.taker != nil {
            report(.lostUpdate, maker, "\(sentence), but that version had been taken.")
        } else if let other = versions[expected]?.board, other != board {
            report(.countUsedTwice, maker, "\(sentence), which is a change of \(other).")
        }
    }

    /// Judges change `count`, which added an item after the items `base`; `before` is the last known change before it.
    private mutating func checkBase(
        _ maker: History.Operation, _ board: String, _ base: [History.Value], _ count: UInt64, _ before: UInt64?
    ) {
        var base = base
        // Go through the items from the last to the first, and skip those whose own change count is unknown.
        while let last = base.last {
            let key = BoardWrites.Key(board: board, value: last)
            guard let writer = writes.fates[key]?.only else { return }
            if let own = number(of: writer, key) {
                return checkAdjacent(maker, board, base, own, count, before)
            }
            if writer.result == .refused {
                return report(
                    .refusedButApplied, maker, "Change \(count) of \(board) builds on \(last.shown), which was refused."
                )
            }
            if let place = between[key] {
                if place != count {
                    report(.duplicated, maker, "\(last.shown) came to \(board) before \(place) and before \(count).")
                }
                return
            }
            between[key] = count
            guard writer.action.appends else { return }
            base.removeLast()
        }
        checkEmptyBase(maker, board, count, before)
    }

    /// The change count of a write, if it is known.
    private func number(of writer: History.Operation, _ key: BoardWrites.Key) -> UInt64? {
        if case .acknowledged(let count) = writer.result { return count }
        return writes.fates[key]?.seen.first
    }

    private mutating func checkAdjacent(
        _ maker: History.Operation, _ board: String, _ base: [History.Value], _ own: UInt64, _ count: UInt64,
        _ before: UInt64?
    ) {
        let sentence = "Change \(count) of \(board) builds on \(own) with \(base.shown)"
        if let before, before != own {
            report(.lostUpdate, maker, "\(sentence), but \(before) is the one before it.")
        } else if versions[own]?.taker != nil {
            report(.lostUpdate, maker, "\(sentence), but that version had been taken.")
        } else if let known = versions[own]?.items, known != base {
            report(.mixed, maker, "\(sentence); that was \(known.shown).")
        } else {
            versions.learn(base, of: own)
        }
    }

    /// Judges an item that was added to an empty board: either the version before it is empty, or an empty version that
    /// nobody read is in between.
    private mutating func checkEmptyBase(
        _ maker: History.Operation, _ board: String, _ count: UInt64, _ before: UInt64?
    ) {
        guard let before, let version = versions[before] else { return }
        if version.items == [] || version.taker != nil { return }
        emptied[board, default: 0] += 1
        let fate = writes.fates[BoardWrites.Key(board: board, value: nil)]
        if emptied[board] ?? 0 > fate?.unanswered ?? 0 {
            let items = version.items.map { " with \($0.shown)" } ?? ""
            report(.lostUpdate, maker, "Change \(count) of \(board) builds on nothing, but follows \(before)\(items).")
        }
    }

    private mutating func report(_ kind: HistoryViolation.Kind, _ operation: History.Operation, _ text: String) {
        violations.append(HistoryViolation(kind: kind, operation: operation.number, description: text))
    }
}

extension History.Result {
    /// The result in words, for an error message.
    var shown: String {
        switch self {
        case .unknown: "no answer"
        case .acknowledged(let count): "change count \(count ?? 0)"
        case .refused: "an error"
        case .items(let count, let items): "\(items.shown) with change count \(count)"
        case .elements(let elements): "\(elements.count) elements"
        }
    }
}
