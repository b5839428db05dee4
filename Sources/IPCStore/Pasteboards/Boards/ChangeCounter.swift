internal import IPCModel

/// The counter that numbers every change to any pasteboard (I11), and its table `reservation`. Numbers are reserved in
/// blocks. A number is taken only if the reservation of its block is on disk, because a caller may see the number even
/// if its transaction is lost. When half of a block is used, a write reserves the next one.
final class ChangeCounter {
    private static let block: UInt64 = 65_536
    /// The greatest change count. With a 20-bit ordinal, it forms a representation's key, which must fit in 63 bits.
    static let greatest: UInt64 = 1 << 43 - 1

    private(set) var last: UInt64 = 0
    private var state = State()
    private let transaction: GroupTransaction

    /// Undoing an operation restores this state, but not ``last``: numbers that were taken stay taken.
    private struct State {
        /// Removals up to this change count are no longer recorded, because too many pasteboards were removed later, or
        /// because a restart lost the pasteboards in memory.
        var removedTo: UInt64 = 0
        /// Whether this run has had pasteboards in memory, other than `general`.
        var hadVolatile = false
        /// The first number that is not reserved on disk.
        var limit: UInt64 = 0
        /// The next value of `limit`, once the transaction has reached the disk; `nil` if no reservation is under way.
        var pending: UInt64?
        /// Numbers up to this one are skipped, once the transaction has reached the disk.
        var skipped: UInt64 = 0

        var nextLimit: UInt64 { max(limit + block, pending ?? 0, skipped + 1 + block) }
    }

    /// Continues the last run's count. The first block must reach the disk (``settle()``) before a number is taken.
    init(_ transaction: GroupTransaction) throws {
        self.transaction = transaction
        var next: UInt64 = 0
        try transaction.statement("SELECT * FROM @.reservation", .persistent).query { row in
            guard row.isIntact(.reservation, checksum: 5) else { return }
            next = max(next, row.number(1))
            state.removedTo = max(state.removedTo, row.number(2))
            state.hadVolatile = state.hadVolatile || row.number(3) != 0
        }
        guard next > 0 else { throw DamagedFile("both reservations of change counts are damaged") }
        if state.hadVolatile {
            // Losing the pasteboards in memory is a change too, so it takes a number.
            state.removedTo = next
            state.hadVolatile = false
            next += 1
        }
        (last, state.limit) = (next - 1, next)
        try reserve { _ in }
    }

    var removedTo: UInt64 { state.removedTo }

    /// Whether a block was reserved by a transaction that may not have reached the disk.
    var isPending: Bool { state.pending != nil }

    /// Takes a number for a change.
    /// - Throws: `noSpace` if no reserved number is left, because the disk stayed full until a whole block was used up.
    func take() throws -> UInt64 {
        // Reserves no more numbers once the write-ahead log was removed: the next start would not find the reservation.
        if !isPending, state.limit - last <= Self.block / 2, !transaction.log.isRemoved { try reserve { _ in } }
        guard last + 1 < state.limit, last < Self.greatest else { throw StoreError.noSpace }
        last += 1
        return last
    }

    /// Makes the reserved numbers available. Call this when everything written so far is on disk.
    func settle() {
        guard let pending = state.pending else { return }
        state.limit = pending
        state.pending = nil
        last = max(last, state.skipped)
    }

    /// Records that this run has pasteboards in memory, because their loss when the run ends will not be recorded.
    func noteVolatilePasteboard() throws {
        guard !state.hadVolatile, transaction.log.loss == nil else { return }
        try reserve { $0.hadVolatile = true }
    }

    func forgetRemovals(to count: UInt64) throws {
        try reserve { $0.removedTo = max($0.removedTo, count) }
    }

    /// Skips the numbers up to the given one.
    /// - Returns: the last number that was taken or skipped.
    func skip(to count: UInt64) throws -> UInt64 {
        guard count <= Self.greatest / 2 else {
            throw IPCError(
                .invalidArguments, "cannot skip ahead to change count \(count); the maximum is \(Self.greatest / 2)")
        }
        guard count > last else { return last }
        try reserve { $0.skipped = max($0.skipped, count) }
        return count
    }

    /// Marks a clean stop, and releases the unused numbers.
    func close() throws { try write(next: last + 1, clean: true) }

    /// Reserves the next block, and writes the other values of `reservation`, which `note` may change first.
    private func reserve(_ note: (inout State) -> Void) throws {
        let earlier = state
        transaction.onUndo { [self] in state = earlier }
        note(&state)
        try write(next: state.nextLimit)
        state.pending = state.nextLimit
    }

    private func write(next: UInt64, clean: Bool = false) throws {
        for id in 1...2 {
            try transaction.insert(
                "INSERT OR REPLACE INTO @.reservation VALUES (?, ?, ?, ?, ?, ?)", .persistent,
                [
                    .number(id), .number(next), .number(state.removedTo), .number(state.hadVolatile ? 1 : 0),
                    .number(clean ? 1 : 0),
                ], in: .reservation)
        }
    }
}

/// Damage to a database file that is not limited to single rows.
struct DamagedFile: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
