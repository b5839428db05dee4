/// The state machine of one request. It starts when the handler is known and stops when the request ends. This is a
/// value without a clock, bus or store. ``handle(_:)`` takes an event and returns the resulting actions in order. An
/// event that does not fit the state, such as the answer to an earlier delivery, has no effect.
package struct RequestLife: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// The request is being stored.
        case arriving
        /// The request is being stored, and ends as soon as that is done: no end may be stored before its request (I1).
        indirect case endsOnArrival(RequestEnd)
        /// An earlier broker accepted the request while its sender waited, and the sender has not come back.
        case orphaned
        /// The request is waiting in its sender queue.
        case waiting
        /// The request's turn has come. A queued request can be sent once its delivery attempt has been recorded.
        case leaving(isReady: Bool, isCalledOff: Bool)
        /// The handler has the request.
        /// - delivery: the number of this delivery, which distinguishes its answer from answers to other deliveries.
        /// - isCalledOff: whether it was cancelled. If so, it is not delivered again, even if the handler crashes.
        /// - isCutOff: whether the direct connection was lost, so that the handler may be gone.
        case delivered(delivery: UInt64, isCalledOff: Bool, isCutOff: Bool)
        case ended
    }

    package enum Event: Sendable, Hashable {
        /// The request is on disk, if it has to be.
        case stored
        /// The request could not be stored, or had already ended in an earlier call.
        case withdrawn
        /// The request's turn in its sender queue has come.
        case turn
        /// The delivery attempt with this number has been recorded.
        case prepared(attempt: UInt32)
        /// The request cannot be sent now.
        case turnedBack
        /// The request is being sent, as the delivery with this number.
        case leaves(delivery: UInt64)
        /// The handler answered, or it is certain that no answer will come.
        case answered(delivery: UInt64, RequestEnd)
        /// The handler returned the request without looking at it.
        case handedBack(delivery: UInt64)
        /// The bus could not pass this delivery to the handler.
        case reachedNobody(delivery: UInt64)
        /// The direct connection was lost while the handler had the request.
        case cutOff(delivery: UInt64)
        /// A handler that lost its direct connection is still on the bus. Its answer to the request is lost.
        case stillThere
        /// The handler left the bus without answering.
        /// - isAlone: whether the handler had no other request.
        /// - limit: after this many crashes with no other request in flight, the request is parked (dead-lettered).
        case handlerCrashed(isAlone: Bool, limit: UInt32)
        /// The sender left, or a caller cancelled the request.
        case calledOff(RequestEnd)
        /// The request cannot be delivered: its handler cannot be started, or its payload is damaged.
        case undeliverable(RequestEnd)
        /// The request timed out.
        case timePassed(isHandlerStarting: Bool)
        /// The broker is stopping.
        case abandoned
    }

    package enum Action: Sendable, Hashable {
        /// The request may be delivered when its turn comes.
        case makeReady
        /// Read the data to send, and record the attempt, so that later ones have higher numbers even after a restart.
        case prepare
        case send
        /// Return the request to its place in its sender queue.
        /// - isSuspect: whether the handler crashed while it had the request.
        /// - isBackedOff: whether it has to wait until the handler's pause is over.
        case putBack(isSuspect: Bool, isBackedOff: Bool)
        case writeCrash(isAlone: Bool)
        /// Pause the handler, because this failure has happened to the request more than once.
        case noteFailure(HandlerFailure)
        /// Ask the handler to stop working on the request.
        case askToCancel
        /// Stop waiting for the answer, and send the handler `CancelURL`. It may still answer late.
        case giveUp(delivery: UInt64, isCutOff: Bool)
        /// Store the end and answer the waiting callers; `nil` if the broker is stopping before the request has ended.
        case end(RequestEnd?)
    }

    /// Events that count as a handler failure if they happen to a request more than once.
    package enum HandlerFailure: Sendable, Hashable { case handedBack, cutConnection }

    package let isQueued: Bool
    package let isOrphan: Bool
    package private(set) var state: State
    /// The number of deliveries, including one that is being prepared.
    package private(set) var attempts: UInt32 = 0
    /// How often the handler crashed while this was its only request.
    package private(set) var crashes: UInt32 = 0
    package private(set) var handBacks: UInt32 = 0
    /// How often a handler lost its direct connection while it had the request, but stayed on the bus.
    private var cuts: UInt32 = 0
    /// Whether a handler crashed while it had the request, alone or with others.
    private var hasSeenCrash = false
    /// Whether an earlier broker may have delivered the request.
    private var mayHaveBeenSeen = false
    /// Whether the request was stored.
    package private(set) var isAccepted = false

    package init(isQueued: Bool) { (self.isQueued, isOrphan, state) = (isQueued, false, .arriving) }

    /// Creates the state of a request that an earlier broker left behind.
    package init(recovered isQueued: Bool, attempts: UInt32, crashes: UInt32) {
        (self.isQueued, isOrphan, state) = (isQueued, !isQueued, isQueued ? .waiting : .orphaned)
        (self.attempts, self.crashes, isAccepted) = (attempts, crashes, true)
        mayHaveBeenSeen = attempts > 0
    }

    /// Continues a request that an earlier broker knew and may have delivered this many times.
    package mutating func continues(after attempts: UInt32) {
        (self.attempts, mayHaveBeenSeen) = (max(self.attempts, attempts, 1), true)
    }
}

// MARK: Questions

extension RequestLife {
    package var hasEnded: Bool { state == .ended }

    /// Whether the request's turn has not come yet.
    package var isUnsent: Bool {
        switch state {
        case .arriving, .endsOnArrival, .waiting: true
        case .orphaned, .leaving, .delivered, .ended: false
        }
    }

    package var isLeaving: Bool { if case .leaving = state { true } else { false } }
    package var isDelivered: Bool { delivery != nil }
    package var isCutOff: Bool { if case .delivered(_, _, let isCutOff) = state { isCutOff } else { false } }

    /// The number of the delivery that the handler has not answered yet; `nil` if there is none.
    package var delivery: UInt64? { if case .delivered(let delivery, _, _) = state { delivery } else { nil } }
}

// MARK: Events

extension RequestLife {
    package mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.ended, _): []
        case (_, .abandoned): end(nil)
        case (_, .timePassed(let isStarting)): timePassed(isStarting)
        case (.arriving, _), (.endsOnArrival, _): whileArriving(event)
        case (.orphaned, .calledOff): end(.orphaned)
        case (.orphaned, _): []
        case (.waiting, _): whileWaiting(event)
        case (.leaving(let isReady, let isCalledOff), _): whileLeaving(event, isReady, isCalledOff)
        case (.delivered(let delivery, let isCalledOff, let isCutOff), _):
            whileDelivered(event, delivery, isCalledOff, isCutOff)
        }
    }

    private mutating func whileArriving(_ event: Event) -> [Action] {
        switch (event, state) {
        case (.withdrawn, _): state = .ended
        case (.stored, .endsOnArrival(let end)):
            isAccepted = true
            return self.end(end)
        case (.stored, _):
            (isAccepted, state) = (true, .waiting)
            return [.makeReady]
        // The request already has an end, which is kept.
        case (_, .endsOnArrival): return []
        case (.calledOff(let end), _), (.undeliverable(let end), _): state = .endsOnArrival(end)
        default: break
        }
        return []
    }

    private mutating func whileWaiting(_ event: Event) -> [Action] {
        switch event {
        case .turn:
            state = .leaving(isReady: !isQueued, isCalledOff: false)
            return isQueued ? [.prepare] : []
        case .calledOff(let end), .undeliverable(let end): return self.end(end)
        default: return []
        }
    }

    private mutating func whileLeaving(_ event: Event, _ isReady: Bool, _ isCalledOff: Bool) -> [Action] {
        switch event {
        case .prepared(let attempt):
            guard !isReady else { return [] }
            attempts = attempt
            state = .leaving(isReady: true, isCalledOff: isCalledOff)
            return []
        case .turnedBack: return putBack(isSuspect: false, isCalledOff)
        case .leaves(let delivery):
            guard isReady else { return [] }
            guard !isCalledOff else { return end(.calledOff) }
            if !isQueued { attempts += 1 }
            state = .delivered(delivery: delivery, isCalledOff: false, isCutOff: false)
            return [.send]
        case .calledOff:
            state = .leaving(isReady: isReady, isCalledOff: true)
            return []
        case .undeliverable(let end): return self.end(end)
        default: return []
        }
    }

    private mutating func whileDelivered(
        _ event: Event, _ delivery: UInt64, _ isCalledOff: Bool, _ isCutOff: Bool
    ) -> [Action] {
        switch event {
        case .answered(delivery, let end): return self.end(end)
        case .handedBack(delivery):
            handBacks += 1
            // Returning the request unread counts as a failure only from the second time on.
            return failure(.handedBack, handBacks) + putBack(isSuspect: false, isCalledOff)
        case .reachedNobody(delivery): return putBack(isSuspect: false, isCalledOff)
        case .cutOff(delivery):
            state = .delivered(delivery: delivery, isCalledOff: isCalledOff, isCutOff: true)
            return []
        case .stillThere:
            guard isCutOff else { return [] }
            cuts += 1
            // Losing the connection counts as a failure only from the second time on.
            return failure(.cutConnection, cuts) + putBack(isSuspect: false, isCalledOff)
        case .handlerCrashed(let isAlone, let limit): return crashed(isAlone, limit, isCalledOff)
        case .calledOff:
            state = .delivered(delivery: delivery, isCalledOff: true, isCutOff: isCutOff)
            return [.askToCancel]
        // A request counts as delivered while a desktop application is started with its URL, but the start may fail.
        case .undeliverable(let end): return self.end(end)
        default: return []
        }
    }

    /// Ends a request whose sender is waiting. Delivers a queued request again, unless it is parked or cancelled.
    private mutating func crashed(_ isAlone: Bool, _ limit: UInt32, _ isCalledOff: Bool) -> [Action] {
        hasSeenCrash = true
        if isAlone { crashes += 1 }
        guard isQueued else { return end(.handlerCrashed) }
        guard crashes < limit else { return end(.parked(after: crashes)) }
        guard !isCalledOff else { return end(.calledOff) }
        return [.writeCrash(isAlone: isAlone)] + putBack(isSuspect: true, false)
    }

    private func failure(_ failure: HandlerFailure, _ count: UInt32) -> [Action] {
        count > 1 ? [.noteFailure(failure)] : []
    }

    private mutating func putBack(isSuspect: Bool, _ isCalledOff: Bool) -> [Action] {
        guard !isCalledOff else { return end(.calledOff) }
        state = .waiting
        return [.putBack(isSuspect: isSuspect, isBackedOff: hasSeenCrash || handBacks > 1 || cuts > 1)]
    }

    private mutating func end(_ end: RequestEnd?) -> [Action] {
        state = .ended
        var end = end
        end?.attempts = attempts
        return [.end(end)]
    }
}

// MARK: Time-outs

extension RequestLife {
    package enum Deadline: Sendable {
        /// The request's time-out or, if it is queued, its time to live.
        case expiry
        /// The time by which the handler must answer.
        case answer
    }

    /// The deadline that applies in the current state; `nil` if there is none.
    package var deadline: Deadline? {
        switch state {
        case .arriving, .endsOnArrival, .orphaned, .waiting: .expiry
        // No deadline applies while the delivery attempt of a queued request is being recorded.
        case .leaving: isQueued ? nil : .expiry
        case .delivered: .answer
        case .ended: nil
        }
    }

    private mutating func timePassed(_ isHandlerStarting: Bool) -> [Action] {
        switch state {
        case .arriving:
            state = .endsOnArrival(expired(isHandlerStarting))
            return []
        case .endsOnArrival, .ended: return []
        case .orphaned: return end(.orphaned)
        case .waiting: return end(expired(isHandlerStarting))
        // The delivery attempt of a queued request is still being recorded, so the request cannot end now.
        case .leaving: return isQueued ? [] : end(expired(false))
        case .delivered(let delivery, _, let isCutOff):
            return [.giveUp(delivery: delivery, isCutOff: isCutOff)] + end(.unanswered)
        }
    }

    /// The end of a request that times out before it is delivered, or before it is delivered again.
    private func expired(_ isHandlerStarting: Bool) -> RequestEnd {
        if hasSeenCrash { return .expiredAfterCrash(attempts: attempts) }
        if cuts > 0 { return .expiredAfterCut }
        if mayHaveBeenSeen { return .expiredAfterRestart }
        return isHandlerStarting ? .expiredDuringStart : .expired
    }
}

/// How long a request may take, in milliseconds. The default values are in ``Limits``.
package enum RequestTimeout {
    /// The time from acceptance until the request must end or, for a queued request, from delivery until the answer.
    /// - Parameters:
    ///   - stated: the time-out that the sender set; `nil` for the default.
    ///   - left: how much longer the sender of a repeated call waits; otherwise `nil`.
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

    /// The time-out and the time to live of a retry, which is always queued. If the original request was queued too,
    /// its values are kept; otherwise, the defaults apply.
    /// - Parameter timeToLive: the original request's time to live; `nil` if that request was not queued.
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
