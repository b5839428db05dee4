internal import IPCModel

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
