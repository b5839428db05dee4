internal import IPCModel

/// The one counter from which every change of any pasteboard takes its number (I11).
///
/// Numbers are reserved in blocks, and only from a block whose reservation is on the disk is one taken: a number may
/// have been shown although its transaction was lost. The next block is reserved, along with whatever is written, when
/// half of one is used up.
struct ChangeCounter {
    /// Numbers in a block.
    static let block: UInt64 = 65_536
    /// The greatest number: 2^20 ordinals of a content fit behind it into a row's key.
    static let greatest: UInt64 = 1 << 43 - 1

    /// The number that was taken last.
    private(set) var last: UInt64 = 0
    /// Removals up to this number are not known any more: too many came after them, or they were pasteboards in memory
    /// that ended with an earlier run.
    private(set) var removedTo: UInt64 = 0
    /// Whether this run has had pasteboards in memory, other than `general`.
    private(set) var hadVolatile = false
    /// The first number that is not reserved on the disk.
    private var limit: UInt64 = 0
    /// The same once the transaction has reached the disk.
    private var pending: UInt64?
    /// The number up to which none is taken once the transaction has reached the disk.
    private var skipped: UInt64 = 0

    init() {}

    /// A counter after a reservation that has reached the disk.
    init(next: UInt64, limit: UInt64, removedTo: UInt64) {
        (last, self.limit, self.removedTo) = (next - 1, limit, removedTo)
    }

    mutating func forgetRemovals(to count: UInt64) { removedTo = max(removedTo, count) }
    mutating func noteVolatile() { hadVolatile = true }

    /// Whether a further block is to be reserved now.
    var needsReservation: Bool { pending == nil && limit - last <= Self.block / 2 }

    /// Whether a block is reserved by what is not known to be on the disk.
    var isPending: Bool { pending != nil }

    /// The first number behind the block that is reserved next.
    var nextLimit: UInt64 { max(limit + Self.block, pending ?? 0, skipped + 1 + Self.block) }

    mutating func reserve() { pending = nextLimit }

    /// Leaves out the numbers up to one, with the reservation that is made next.
    mutating func skip(to count: UInt64) { skipped = max(skipped, count) }

    /// Takes back what a reservation said that did not reach the disk; the numbers that were taken stay taken.
    mutating func takeBack(to earlier: ChangeCounter) {
        let taken = last
        self = earlier
        last = taken
    }

    mutating func committed() {
        limit = pending ?? limit
        pending = nil
        last = max(last, skipped)
    }

    /// Takes a number; an error where none is left, because the disk has been full for a whole block.
    mutating func take() throws(StoreError) -> UInt64 {
        guard last + 1 < limit, last < Self.greatest else { throw .noSpace }
        last += 1
        return last
    }
}

extension StoreSession {
    /// Takes a number for a change.
    func nextChangeCount() throws -> UInt64 {
        // In a file that was removed nothing is left for the next start to find.
        if counter.needsReservation, !log.isRemoved { try reserve() }
        return try counter.take()
    }

    /// Reads where the last run stopped and reserves the first block; on the disk when it returns.
    func openCounter() throws {
        var next: UInt64 = 0
        var removedTo: UInt64 = 0
        var hadVolatile = false
        try statement("SELECT * FROM @.reservation", .persistent).query { row in
            guard row.isIntact(.reservation, checksum: 5) else { return }
            next = max(next, row.number(1))
            removedTo = max(removedTo, row.number(2))
            hadVolatile = hadVolatile || row.number(3) != 0
        }
        guard next > 0 else { throw DamagedFile("both reservations of change counts are damaged") }
        if hadVolatile {
            // The end of the pasteboards in memory is a change as well, and takes a number.
            removedTo = next
            next += 1
        }
        counter = ChangeCounter(next: next, limit: next, removedTo: removedTo)
        let limit = next + ChangeCounter.block
        try writeReservation(next: limit)
        try commit()
        counter = ChangeCounter(next: next, limit: limit, removedTo: removedTo)
    }

    /// Notes that the end of this run ends pasteboards whose removal nobody will have seen.
    func noteVolatilePasteboard() throws {
        guard !counter.hadVolatile, !log.isRemoved else { return }
        try reserve { $0.noteVolatile() }
    }

    /// Writes the reservation of the next block down, along with what is to be noted beside it.
    func reserve(_ note: (inout ChangeCounter) -> Void = { _ in }) throws {
        undo.append(.reservation(counter))
        note(&counter)
        try writeReservation(next: counter.nextLimit)
        counter.reserve()
    }

    /// Notes a stop in good order; the numbers that were not taken are free again.
    func closeCounter() throws {
        beginOperation()
        try writeReservation(next: counter.last + 1, clean: true)
        try commit()
    }

    func writeReservation(next: UInt64, clean: Bool = false) throws {
        for id in 1...2 {
            try insert(
                "INSERT OR REPLACE INTO @.reservation VALUES (?, ?, ?, ?, ?, ?)", .persistent,
                [
                    .number(id), .number(next), .number(counter.removedTo), .number(counter.hadVolatile ? 1 : 0),
                    .number(clean ? 1 : 0),
                ], in: .reservation)
        }
    }
}

/// The file of a store is damaged beyond single rows.
struct DamagedFile: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension StoreTransaction {
    /// Makes every later change take a number above `count`, and gives the last number that is taken or left out then:
    /// what comes from another store keeps its numbers, and nothing here takes one of them again (I11).
    ///
    /// One that is reached already changes nothing. An error of the code `InvalidArguments` for more than half of all
    /// numbers: each call could use up what is left.
    package func skipChangeCounts(to count: UInt64) throws -> UInt64 {
        guard count <= ChangeCounter.greatest / 2 else {
            throw IPCError(
                .invalidArguments,
                "change counts can be skipped up to \(ChangeCounter.greatest / 2), not to \(count)")
        }
        guard count > session.counter.last else { return session.counter.last }
        try session.reserve { $0.skip(to: count) }
        return count
    }
}
