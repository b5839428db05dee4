/// How long a request may take, in milliseconds. See below for which deadline applies in which state, and its effect.
package enum RequestTimeout {
    /// The time from acceptance until the request must end or, for a queued request, from delivery until the answer.
    /// - Parameters:
    ///   - stated: the time-out that the sender set; `nil` for the default.
    ///   - left: the time that is left, for a repeated call of a sender.
    /// - Throws: `invalidArguments` for 0.
    package static func milliseconds(
        stated: UInt32?, left: UInt32?, isQueued: Bool, _ limits: Limits
    ) throws(IPCError) -> UInt64 {
        let usual = isQueued ? limits.queuedTimeoutMilliseconds : limits.requestTimeoutMilliseconds
        let time = min(stated ?? UInt32(clamping: usual), left ?? .max)
        guard time > 0 else { throw IPCError(.invalidArguments, "the time-out must be at least 1 ms") }
        return UInt64(time)
    }

    /// The time from acceptance until a queued request must be delivered.
    /// - Throws: `invalidArguments` if a time is set for a request that is not queued, or is out of range.
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

    /// The times for the retry of a request that has ended. The retry is queued. It has the times of the request if
    /// that was queued too, otherwise the defaults.
    /// - Parameters:
    ///   - timeout: the time-out of the request.
    ///   - timeToLive: its time to live; `nil` if it was not queued.
    package static func ofRetry(
        timeout: UInt64, timeToLive: UInt64?, _ limits: Limits
    ) -> (timeout: UInt64, timeToLive: UInt64) {
        let longest = limits.timeToLiveMostMilliseconds
        guard let timeToLive else {
            return (limits.queuedTimeoutMilliseconds, min(limits.timeToLiveMilliseconds, longest))
        }
        return (timeout, min(timeToLive, longest))
    }

    /// How long a waiting sender may take to repeat its call after a broker restart. This is longer than the library
    /// needs to reconnect (I24).
    package static let ofReturn: UInt64 = 30_000
}

extension RequestLife {
    package enum Deadline: Sendable {
        /// The time-out expires or, for a queued request, its time to live.
        case expiry
        /// The time for the answer expires.
        case answer
    }

    /// The deadline that applies in the current state; `nil` if there is none.
    package var deadline: Deadline? {
        switch state {
        case .arriving, .endsOnArrival, .orphaned, .waiting: .expiry
        // No deadline applies while the attempt of a queued request is being written.
        case .leaving: isQueued ? nil : .expiry
        case .delivered: .answer
        case .ended: nil
        }
    }

    /// How a request ends that times out before it is delivered, or delivered again. If it is in the handler's hands
    /// when it times out, the end is ``RequestEnd/unanswered``.
    func expired(_ isHandlerStarting: Bool) -> RequestEnd {
        if hasSeenCrash { return .expiredAfterCrash(attempts: attempts) }
        if cuts > 0 { return .expiredAfterCut }
        if mayHaveBeenSeen { return .expiredAfterRestart }
        return isHandlerStarting ? .expiredDuringStart : .expired
    }
}
