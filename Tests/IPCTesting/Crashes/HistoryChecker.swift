/// Something in a history that a store that loses nothing does not do.
package struct HistoryViolation: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable {
        /// An acknowledged change is not there later.
        case lost
        /// A board's change count went back, or a later change took a smaller number than an earlier one.
        case countFell
        /// Two changes have the same number.
        case countUsedTwice
        /// A value that nobody wrote: a part of one, or a mix of several.
        case torn
        /// A change number shows the value of another change.
        case mixed
        /// One write took effect twice.
        case duplicated
        /// A write that was refused took effect.
        case refusedButApplied
        /// A change that builds on a version passed over another change that came between.
        case lostUpdate
        /// Two askers took the same.
        case takenTwice
        /// A call that was repeated got another answer.
        case answeredDifferently
    }

    package let kind: Kind
    /// The operation where it shows.
    package let operation: Int
    /// A sentence with the numbers.
    package let description: String
}

/// Judges a history; pure.
///
/// Checked for boards: a change count is used once, over all boards; of two acknowledged changes of which one ended
/// before the other began, the later has the larger number (one counter for all boards); a read shows no older count
/// than those acknowledged or read before it began; the items read with a count are those that were written with it,
/// or, if that write has no answer, the whole of an unanswered write that had begun, each of which has at most one
/// number; a refused write is never seen. A compare-and-set that succeeded follows the version that it expected, and an
/// added item the items of the version before it, with no other change between. A version is taken by one asker, who
/// gets the same whenever he repeats the call, and nobody else sees it again.
///
/// Checked for collections: what was acknowledged or seen before a listing began is in it; nothing is in it twice;
/// everything in it was tried, whole, and not refused.
package enum HistoryChecker {
    /// All violations, in the order of the operations where they show; none when all is well. Takes time in
    /// proportion to n log n.
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
    /// The value for a message: text if it is, cut after 40 bytes.
    var shown: String {
        "“\(String(decoding: prefix(40), as: UTF8.self))”" + (count > 40 ? " (\(count) bytes)" : "")
    }
}

extension [History.Value] {
    /// The items for a message.
    var shown: String { isEmpty ? "nothing" : map(\.shown).joined(separator: ", ") }
}
