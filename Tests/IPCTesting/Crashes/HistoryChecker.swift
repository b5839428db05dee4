/// A fault in a history that a store without data loss would not show.
package struct HistoryViolation: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable {
        /// An acknowledged change is missing later.
        case lost
        /// A board's change count decreased, or a later change has a smaller number than an earlier one.
        case countFell
        /// Two changes have the same number.
        case countUsedTwice
        /// A value that no writer wrote: a part of one, or a mix of several.
        case torn
        /// A read returned the change count of one change with the value of another.
        case mixed
        /// One write took effect twice.
        case duplicated
        /// A rejected write took effect.
        case refusedButApplied
        /// A change based on one version skipped another change in between.
        case lostUpdate
        /// Two callers took the same content.
        case takenTwice
        /// A repeated call got a different answer.
        case answeredDifferently
    }

    package let kind: Kind
    /// The operation that shows the fault.
    package let operation: Int
    /// An error message with the numbers.
    package let description: String
}

/// Judges a history, without side effects.
///
/// These rules are checked for boards. A change count is used once, over all boards. If one acknowledged change was
/// complete before another one began, the later one has the larger count (all boards share one counter). A read shows
/// no smaller count than those acknowledged or read before it began. The items read with a count are those that were
/// written with it. If no writer received this count, the version comes from a write that had started but got no
/// answer; each such write makes at most one version. A rejected write is never observed. A successful compare-and-set
/// directly follows the version that it expected, and an added item directly follows the items of the version before
/// it. One caller takes a version. It gets the same answer each time it repeats the call, and no other caller sees the
/// version again.
///
/// These rules are checked for collections. A listing contains everything that was acknowledged or seen before it
/// began. It contains nothing twice, and only whole elements that were tried and not rejected.
package enum HistoryChecker {
    /// All violations, in the order of the operations that show them; empty if there are none. Takes time in proportion
    /// to n log n.
    package static func check(_ history: History) -> [HistoryViolation] {
        var boards = BoardChecker(history)
        var collections = CollectionChecker(history)
        for event in events(of: history) {
            let operation = history.operations[event.operation]
            switch operation.action {
            case .set, .compareAndSet, .append, .get, .take:
                event.isEnd ? boards.end(operation) : boards.begin(operation)
            case .add, .list: event.isEnd ? collections.end(operation) : collections.begin(operation)
            }
        }
        let chains = VersionChains(boards.versions, boards.writes).violations
        return (boards.violations + chains + collections.violations).sorted { $0.operation < $1.operation }
    }

    private static func events(of history: History) -> [(operation: Int, isEnd: Bool)] {
        var events: [(place: Int, operation: Int, isEnd: Bool)] = []
        for operation in history.operations {
            events.append((operation.invoked, operation.number, false))
            if operation.responded != .max { events.append((operation.responded, operation.number, true)) }
        }
        return events.sorted { $0.place < $1.place }.map { ($0.operation, $0.isEnd) }
    }
}

extension History.Value {
    /// The value in words, for an error message: as text if possible, cut after 40 bytes.
    var shown: String {
        "“\(String(decoding: prefix(40), as: UTF8.self))”" + (count > 40 ? " (\(count) bytes)" : "")
    }
}

extension [History.Value] {
    var shown: String { isEmpty ? "nothing" : map(\.shown).joined(separator: ", ") }
}
