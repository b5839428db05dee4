internal import IPCModel

extension StoreTransaction {
    /// Forgets ended requests whose time is over, at most so many of each source; gives how many. ``expire()`` does so by
    /// itself.
    package func forgetRequests(atMost most: Int) throws -> Int {
        try session.requests.sources.reduce(0) { try $0 + session.forgetRequests(of: $1, at: now, most: most) }
    }
}

extension StoreSession {
    /// Forgets ended requests of all sources whose time is over, at most so many.
    func forgetRequests(atMost most: Int, at now: UInt64) throws {
        guard let first = requests.firstEnd, isOver(first, configuration.limits.endedRequestsKeptSeconds, at: now)
        else { return }
        var left = most
        for source in requests.sources where left > 0 {
            left -= try forgetRequests(of: source, at: now, most: left)
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

    /// Forgets ended requests of a source that are too many or too old, with what is kept of their payloads, a few at a
    /// time.
    @discardableResult
    func forgetRequests(of source: String, at now: UInt64, most: Int) throws -> Int {
        var forgotten = 0
        while forgotten < most, let oldest = requests.oldest(of: source) {
            let limits = configuration.limits
            guard
                oldest.count > Int(clamping: limits.endedRequestsKept)
                    || isOver(oldest.ended.time, limits.endedRequestsKeptSeconds, at: now)
            else { break }
            if !oldest.ended.isDropped {
                try forget(oldest.ended)
                forgotten += 1
            }
            requests.forgetOldest(of: source)
            undo.append(.requestForgotten(oldest.ended, source: source))
        }
        return forgotten
    }

    private func forget(_ ended: RequestLog.Ended) throws {
        let key: [SQLValue] = [.integer(ended.sequence)]
        if let payload = ended.payload {
            try write("DELETE FROM @.open_request WHERE sequence = ?", .persistent, key)
            if payload > 0 { try releaseVersion(payload) }
            return
        }
        let payload = try statement("SELECT * FROM @.open_request WHERE sequence = ?", .persistent).first(key) { row in
            // What a damaged row holds is not known.
            row.isIntact(.openRequest, checksum: 30) ? row.integer(13) : nil
        }
        try write("DELETE FROM @.open_request WHERE sequence = ?", .persistent, key)
        guard let payload else { return try releaseUnheldPayloads() }
        if payload > 0 { try releaseVersion(UInt64(payload)) }
    }
}
