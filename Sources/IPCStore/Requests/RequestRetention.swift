internal import IPCModel

/// Deletes ended requests, with their payloads, once there are too many of them or they are too old.
final class RequestRetention {
    private let rows: RequestRows
    private let payloads: RequestPayloads
    private let transaction: GroupTransaction
    private let limits: Limits
    /// For each payer, the number of its requests that ended in the current group of operations.
    private var endedInGroup: [RequestPayer: Int] = [:]

    init(_ rows: RequestRows, _ payloads: RequestPayloads, _ transaction: GroupTransaction) {
        (self.rows, self.payloads, self.transaction) = (rows, payloads, transaction)
        limits = transaction.configuration.limits
    }

    func noteEnd(of payer: RequestPayer) { endedInGroup[payer, default: 0] += 1 }

    /// Forgets excess requests of the payers whose requests ended in this group, once for all operations of the group.
    func prepareCommit() throws {
        guard !endedInGroup.isEmpty else { return }
        transaction.beginUpkeep()
        for (payer, ended) in endedInGroup { try forget(of: payer, most: 2 * ended) }
        try forgetUnattestedExcess(atMost: 2 * endedInGroup.values.reduce(0, +))
        endedInGroup.removeAll(keepingCapacity: true)
    }

    func abandonGroup() { endedInGroup.removeAll() }

    func isOver(_ request: RequestRecord) -> Bool { request.ended.map(isOver) ?? false }

    private func isOver(_ ended: UInt64) -> Bool {
        transaction.isOver(ended, seconds: limits.endedRequestsKeptSeconds)
    }

    /// Forgets ended requests, of all payers, whose retention period is over.
    func forgetOver(atMost most: Int) throws {
        guard let first = rows.log.firstEnd, isOver(first) else { return }
        var left = most
        for payer in rows.log.payers where left > 0 { left -= try forget(of: payer, most: left) }
        rows.findFirstEnd()
    }

    /// When the oldest ended request is due to be forgotten, in milliseconds of uptime; `nil` if none is kept. A minute
    /// is added, so that requests that end within a minute are forgotten together. Age is measured by the wall clock.
    var nextEnd: UInt64? {
        guard let first = rows.log.firstEnd else { return nil }
        let kept = limits.endedRequestsKeptSeconds * 1_000
        let age = transaction.now - min(first, transaction.now)
        let uptime = transaction.configuration.uptime()
        return age < kept ? uptime + (kept - age) + 60_000 : uptime
    }

    /// Forgets up to `most` of a payer's ended requests that are in excess or too old. Returns how many were forgotten.
    @discardableResult
    private func forget(of payer: RequestPayer, most: Int) throws -> Int {
        var forgotten = 0
        while forgotten < most, let oldest = rows.log.oldest(of: payer) {
            guard oldest.count > Int(clamping: limits.endedRequestsKept) || isOver(oldest.ended.time) else { break }
            if try forget(oldest.ended, of: payer) { forgotten += 1 }
        }
        return forgotten
    }

    /// Forgets ended requests of unattested payers if there are too many in total. Begins with the payers that have the
    /// most, so that a flood from one process does not cost other processes their records.
    /// - Parameter count: twice the number of requests that ended since the last call, so that the excess shrinks.
    private func forgetUnattestedExcess(atMost count: Int) throws {
        let most = 4 * Int(clamping: limits.endedRequestsKept)
        let excess = rows.log.unattestedCount - most
        guard excess > 0 else { return }
        // Forgets more requests than necessary, because each search for the payers with the most records is slow.
        let forgotten = max(min(excess, count), min(Self.forgottenAtOnce, most / 4 + 1))
        var heaviest = rows.log.heaviestUnattested(atMost: forgotten)
        for _ in 0..<forgotten {
            guard let index = heaviest.indices.max(by: { heaviest[$0].count < heaviest[$1].count }),
                let oldest = rows.log.oldest(of: heaviest[index].payer)
            else { return }
            if try forget(oldest.ended, of: heaviest[index].payer) { heaviest[index].count -= 1 }
        }
    }

    private static let forgottenAtOnce = 64

    /// - Returns: whether the request still had a record.
    private func forget(_ ended: RequestLog.Ended, of payer: RequestPayer) throws -> Bool {
        if let version = try rows.forgetOldest(ended, of: payer) {
            if version > 0 { try payloads.releaseVersion(version) }
        } else {
            try payloads.releaseUnheld()
        }
        return !ended.isDropped
    }
}
