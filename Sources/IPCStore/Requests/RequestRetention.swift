internal import IPCModel

/// How long ended requests are kept: it forgets those that are too many or too old, with what is kept of their payloads.
final class RequestRetention {
    private let rows: RequestRows
    private let payloads: RequestPayloads
    private let transaction: GroupTransaction
    private let limits: Limits
    /// How many requests of each payer have ended in the group.
    private var endedInGroup: [RequestPayer: Int] = [:]

    init(_ rows: RequestRows, _ payloads: RequestPayloads, _ transaction: GroupTransaction) {
        (self.rows, self.payloads, self.transaction) = (rows, payloads, transaction)
        limits = transaction.configuration.limits
    }

    /// Notes that a payer may have too many now: they are forgotten with the group.
    func noteEnd(of payer: RequestPayer) { endedInGroup[payer, default: 0] += 1 }

    /// Forgets ended requests of the payers that have ended some in the group, for all of its operations together.
    func prepareCommit() throws {
        guard !endedInGroup.isEmpty else { return }
        transaction.beginUpkeep()
        for (payer, ended) in endedInGroup { try forget(of: payer, most: 2 * ended) }
        try forgetUnattestedExcess(atMost: 2 * endedInGroup.values.reduce(0, +))
        endedInGroup.removeAll(keepingCapacity: true)
    }

    /// The group did not reach the disk.
    func abandonGroup() { endedInGroup.removeAll() }

    /// Whether a request ended longer ago than its record is kept.
    func isOver(_ request: RequestRecord) -> Bool { request.ended.map(isOver) ?? false }

    private func isOver(_ ended: UInt64) -> Bool {
        transaction.isOver(ended, seconds: limits.endedRequestsKeptSeconds)
    }

    /// Forgets ended requests of all payers whose time is over, at most `most`.
    func forgetOver(atMost most: Int) throws {
        guard let first = rows.firstEnd, isOver(first) else { return }
        var left = most
        for payer in rows.payers where left > 0 { left -= try forget(of: payer, most: left) }
        rows.findFirstEnd()
    }

    /// When ended requests are to be forgotten, in milliseconds of uptime; nil where none is kept.
    ///
    /// What ended within a minute goes together. They count by the clock of the day.
    var nextEnd: UInt64? {
        guard let first = rows.firstEnd else { return nil }
        let kept = limits.endedRequestsKeptSeconds * 1_000
        let age = transaction.now - min(first, transaction.now)
        let uptime = transaction.configuration.uptime()
        return age < kept ? uptime + (kept - age) + 60_000 : uptime
    }

    /// Forgets ended requests of a payer that are too many or too old, a few at a time.
    @discardableResult
    func forget(of payer: RequestPayer, most: Int) throws -> Int {
        var forgotten = 0
        while forgotten < most, let oldest = rows.oldest(of: payer) {
            guard oldest.count > Int(clamping: limits.endedRequestsKept) || isOver(oldest.ended.time) else { break }
            if try forget(oldest.ended, of: payer) { forgotten += 1 }
        }
        return forgotten
    }

    /// Forgets ended requests of payers that nothing attests, where all of them together have too many: those of the
    /// payer with most, so that a flood of one process costs no other one its records.
    /// - Parameter count: twice the requests that have ended since the last time, so that the excess shrinks.
    private func forgetUnattestedExcess(atMost count: Int) throws {
        let most = 4 * Int(clamping: limits.endedRequestsKept)
        let excess = rows.unattestedCount - most
        guard excess > 0 else { return }
        // Some more at once, because looking for the heaviest payers costs the count of all payers.
        let forgotten = max(min(excess, count), min(Self.forgottenAtOnce, most / 4 + 1))
        var heaviest = rows.heaviestUnattested(atMost: forgotten)
        for _ in 0..<forgotten {
            guard let index = heaviest.indices.max(by: { heaviest[$0].count < heaviest[$1].count }),
                let oldest = rows.oldest(of: heaviest[index].payer)
            else { return }
            if try forget(oldest.ended, of: heaviest[index].payer) { heaviest[index].count -= 1 }
        }
    }

    private static let forgottenAtOnce = 64

    /// - Returns: whether it had a record.
    private func forget(_ ended: RequestLog.Ended, of payer: RequestPayer) throws -> Bool {
        switch try rows.forgetOldest(ended, of: payer) {
        case .none: break
        case .version(let version): try payloads.releaseVersion(version)
        case .unknown: try payloads.releaseUnheld()
        }
        return !ended.isDropped
    }
}
