internal import IPCModel

extension StoreTransaction {
    /// Forgets ended requests whose time is over, at most `most` of each payer; gives the count. ``expire()`` does so by
    /// itself.
    package func forgetRequests(atMost most: Int) throws -> Int {
        try session.requests.payers.reduce(0) { try $0 + session.forgetRequests(of: $1, at: now, most: most) }
    }
}

extension StoreSession {
    /// Forgets ended requests of all payers whose time is over, at most `most`.
    func forgetRequests(atMost most: Int, at now: UInt64) throws {
        guard let first = requests.firstEnd, isOver(first, configuration.limits.endedRequestsKeptSeconds, at: now)
        else { return }
        var left = most
        for payer in requests.payers where left > 0 {
            left -= try forgetRequests(of: payer, at: now, most: left)
        }
        requests.findFirstEnd()
    }

    /// When ended requests are to be forgotten, in milliseconds of uptime; nil where none is kept.
    ///
    /// What ended within a minute goes together. They count by the clock of the day.
    func requestsEnd(at now: UInt64) -> UInt64? {
        guard let first = requests.firstEnd else { return nil }
        let kept = configuration.limits.endedRequestsKeptSeconds * 1_000
        let age = now - min(first, now)
        guard age < kept else { return configuration.uptime() }
        return configuration.uptime() + (kept - age) + 60_000
    }

    /// Forgets ended requests of a payer that are too many or too old, with what is kept of their payloads, a few at a
    /// time.
    @discardableResult
    func forgetRequests(of payer: RequestPayer, at now: UInt64, most: Int) throws -> Int {
        var forgotten = 0
        while forgotten < most, let oldest = requests.oldest(of: payer) {
            let limits = configuration.limits
            guard
                oldest.count > Int(clamping: limits.endedRequestsKept)
                    || isOver(oldest.ended.time, limits.endedRequestsKeptSeconds, at: now)
            else { break }
            if try forget(oldest.ended, of: payer) { forgotten += 1 }
        }
        return forgotten
    }

    /// Forgets ended requests of payers that nothing attests, where all of them together have too many: those of the
    /// payer with most, so that a flood of one process costs no other one its records.
    /// - Parameter count: twice the requests that have ended since the last time, so that the excess shrinks.
    func forgetUnattestedExcess(atMost count: Int) throws {
        let most = 4 * Int(clamping: configuration.limits.endedRequestsKept)
        let excess = requests.unattestedCount - most
        guard excess > 0 else { return }
        // Some more at once, because looking for the heaviest payers costs the count of all payers.
        let forgotten = max(min(excess, count), min(Self.forgottenAtOnce, most / 4 + 1))
        var heaviest = requests.heaviestUnattested(atMost: forgotten)
        for _ in 0..<forgotten {
            guard let index = heaviest.indices.max(by: { heaviest[$0].count < heaviest[$1].count }),
                let oldest = requests.oldest(of: heaviest[index].payer)
            else { return }
            if try forget(oldest.ended, of: heaviest[index].payer) { heaviest[index].count -= 1 }
        }
    }

    private static let forgottenAtOnce = 64

    /// - Returns: whether it had a record.
    private func forget(_ ended: RequestLog.Ended, of payer: RequestPayer) throws -> Bool {
        if !ended.isDropped { try forget(ended) }
        requests.forgetOldest(of: payer)
        transaction.onUndo { [self] in requests.takeBackForgotten(ended, payer) }
        return !ended.isDropped
    }

    private func forget(_ ended: RequestLog.Ended) throws {
        let key: [SQLValue] = [.integer(ended.sequence)]
        if let payload = ended.payload {
            try transaction.write("DELETE FROM @.open_request WHERE sequence = ?", .persistent, key)
            if payload > 0 { try releaseVersion(payload) }
            return
        }
        let payload = try transaction.statement("SELECT * FROM @.open_request WHERE sequence = ?", .persistent).first(
            key
        ) { row in
            // What a damaged row holds is not known.
            row.isIntact(.openRequest, checksum: 30) ? row.integer(13) : nil
        }
        try transaction.write("DELETE FROM @.open_request WHERE sequence = ?", .persistent, key)
        guard let payload else { return try releaseUnheldPayloads() }
        if payload > 0 { try releaseVersion(UInt64(payload)) }
    }
}
