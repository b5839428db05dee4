internal import IPCModel

extension StoreTransaction {
    /// Ends versions that are over, some hundreds at a time, and gives the next end in milliseconds of uptime: one that
    /// has passed where more are over, nil where none ends by itself. What is held for calls that may be repeated no
    /// more, and ended requests that are kept no longer, are let go of as well.
    ///
    /// A current version is replaced by an empty one, which takes a change count; any other is let go of. Nobody waits
    /// for this: what is over is not read either way.
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

    /// When the next version ends or is held no more, or an ended request is forgotten, in milliseconds of uptime; nil
    /// where nothing does by itself.
    package var nextExpiry: UInt64? {
        let ends = [
            session.deadlines.first?.deadline, session.calls.nextEnd, session.retention.nextEnd,
        ]
        return ends.compactMap { $0 }.min()
    }

    private static let endedAtATime = 256
}
