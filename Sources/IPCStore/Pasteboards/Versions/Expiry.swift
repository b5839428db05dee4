internal import IPCModel

extension StoreTransaction {
    /// Ends some hundred expired versions, remembered calls and records of ended requests.
    ///
    /// An empty version, which takes a change count, replaces an expired current one. No caller waits for this, because
    /// expired versions are never read.
    /// - Returns: ``nextExpiry``; a time that has passed if more are expired.
    package func expire() throws -> UInt64? {
        let uptime = session.configuration.uptime()
        for _ in 0..<Self.endedAtATime {
            guard let first = session.deadlines.first, first.deadline <= uptime else { break }
            try session.histories.end(first.changeCount)
        }
        try session.calls.forgetOver(atMost: Self.endedAtATime)
        try session.retention.forgetOver(atMost: Self.endedAtATime)
        return nextExpiry
    }

    /// When ``expire()`` has something to do next, in milliseconds of uptime; nil for never.
    package var nextExpiry: UInt64? {
        [session.deadlines.first?.deadline, session.calls.nextEnd, session.retention.nextEnd].compactMap(\.self).min()
    }

    private static let endedAtATime = 256
}
