/// How long a request may take, in milliseconds. Below: which deadline counts in a state, and how a request ends at it.
package enum RequestTimeout {
    /// The time from acceptance to the end or, for a queued request, from the delivery to the answer.
    /// - Parameters:
    ///   - stated: the time-out that the sender states.
    ///   - left: the time that is left to the sender of a repeated call.
    /// - Throws: `invalidArguments` for 0.
    package static func milliseconds(
        stated: UInt32?, left: UInt32?, isQueued: Bool, _ limits: Limits
    ) throws(IPCError) -> UInt64 {
        let usual = isQueued ? limits.queuedTimeoutMilliseconds : limits.requestTimeoutMilliseconds
        let time = min(stated ?? UInt32(clamping: usual), left ?? .max)
        guard time > 0 else { throw IPCError(.invalidArguments, "the time-out must be at least 1 ms") }
        return UInt64(time)
    }

    /// The time from acceptance to the delivery of a queued request.
    /// - Throws: `invalidArguments` for a stated time of a request that is not queued, or out of range.
    package static func timeToLive(
        stated: UInt64?, isQueued: Bool, _ limits: Limits
    ) throws(IPCError) -> UInt64 {
        guard let stated else { return limits.timeToLiveMilliseconds }
        guard isQueued else {
            throw IPCError(
                .invalidArguments, "“time-to-live” is for queued requests; add “queue”, or use “timeout”")
        }
        guard (1...limits.timeToLiveMostMilliseconds).contains(stated) else {
            throw IPCError(
                .invalidArguments,
                "“time-to-live” must be from 1 to \(limits.timeToLiveMostMilliseconds) ms, not \(stated)")
        }
        return stated
    }

    /// The times of the retry of a request that has ended. The retry is queued. If the request was queued too, the times are
    /// those of the request, else the usual ones.
    /// - Parameters:
    ///   - timeout: the time-out of the request.
    ///   - timeToLive: its time to live; nil if it was not queued.
    package static func ofRetry(
        timeout: UInt64, timeToLive: UInt64?, _ limits: Limits
    ) -> (timeout: UInt64, timeToLive: UInt64) {
        let longest = limits.timeToLiveMostMilliseconds
        guard let timeToLive else {
            return (limits.queuedTimeoutMilliseconds, min(limits.timeToLiveMilliseconds, longest))
        }
        return (timeout, min(timeToLive, longest))
    }

    /// The time in which a waiting sender can repeat its call after a restart of the broker: longer than the library needs to
    /// reconnect (I24).
    package static let ofReturn: UInt64 = 30_000
}

extension RequestLife {
    package enum Deadline: Sendable {
        /// The end of the time-out or, for a queued request, of the time to live.
        case expiry
        /// The end of the time for the answer.
        case answer
    }

    /// The deadline that counts in the current state; nil for none.
    package var deadline: Deadline? {
        switch state {
        case .arriving, .endsOnArrival, .orphaned, .waiting: .expiry
        // The attempt of a queued request is being written.
        case .leaving: isQueued ? nil : .expiry
        case .delivered: .answer
        case .ended: nil
        }
    }

    /// The end of a request whose time passes before it is delivered, or delivered again. One that is delivered ends as
    /// ``RequestEnd/unanswered``.
    func expired(_ isHandlerStarting: Bool) -> RequestEnd {
        if hasSeenCrash { return .expiredAfterCrash(attempts: attempts) }
        if cuts > 0 { return .expiredAfterCut }
        if mayHaveBeenSeen { return .expiredAfterRestart }
        return isHandlerStarting ? .expiredDuringStart : .expired
    }
}
