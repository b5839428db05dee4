/// The state machine of one open request. It begins when the handler is known and stops at the end of the request.
///
/// A value without clock, bus or store: ``handle(_:)`` takes an event and returns the actions that follow from it, in their
/// order. An event that does not fit the state, such as the answer to an earlier delivery, has no effect.
package struct RequestLife: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// Its beginning is being written.
        case arriving
        /// The same; it ends as soon as that is written, because no end may be stored before its beginning (I1).
        indirect case endsOnArrival(RequestEnd)
        /// An earlier broker accepted it for a sender that waited, and the sender has not come back.
        case orphaned
        /// It waits in its sender queue.
        case waiting
        /// Its turn has come. It is ready to be sent if its attempt is written, or need not be.
        case leaving(isReady: Bool, isCalledOff: Bool)
        /// The handler has it.
        /// - delivery: the number of this delivery, which distinguishes its answer from the answer to another one.
        /// - isCalledOff: it is not delivered again, even if the handler crashes.
        /// - isCutOff: the direct connection has ended, and it is not known whether the handler is still there.
        case delivered(delivery: UInt64, isCalledOff: Bool, isCutOff: Bool)
        case ended
    }

    package enum Event: Sendable, Hashable {
        /// The beginning is on the disk, if it has to be there.
        case stored
        /// The beginning could not be written, or the request ended with an earlier call.
        case withdrawn
        /// Its turn in its sender queue has come.
        case turn
        /// The attempt with this number is written.
        case prepared(attempt: UInt32)
        /// It cannot be sent now.
        case turnedBack
        /// It is sent now, under this number.
        case leaves(delivery: UInt64)
        /// The handler answered, or it is certain that it will not.
        case answered(delivery: UInt64, RequestEnd)
        /// The handler did not look at it.
        case handedBack(delivery: UInt64)
        /// The bus could not pass this delivery to the handler.
        case reachedNobody(delivery: UInt64)
        /// The direct connection ended while the handler had it.
        case cutOff(delivery: UInt64)
        /// The handler of a request that was cut off is still there; its answer is lost.
        case stillThere
        /// The handler left the bus without an answer.
        /// - isAlone: it had no other request.
        /// - limit: the count of crashes with this request alone after which it is parked (dead-lettered).
        case handlerCrashed(isAlone: Bool, limit: UInt32)
        /// The sender left, or a caller cancels it.
        case calledOff(RequestEnd)
        /// It cannot be delivered: its handler cannot be started, or its payload is damaged.
        case undeliverable(RequestEnd)
        /// Its time has passed.
        case timePassed(isHandlerStarting: Bool)
        /// The broker ends.
        case abandoned
    }

    package enum Action: Sendable, Hashable {
        /// It may be delivered when its turn comes.
        case makeReady
        /// Write the attempt, so that a later one has a higher number whatever happens, and read what is sent.
        case prepare
        case send
        /// Return it to its place in its sender queue.
        /// - isSuspect: the handler crashed while it had it.
        /// - isBackedOff: it has a pause first.
        case putBack(isSuspect: Bool, isBackedOff: Bool)
        case writeCrash(isAlone: Bool)
        /// Give the handler a pause, because it repeats this.
        case noteFailure(HandlerFailure)
        /// Ask the handler to stop.
        case askToCancel
        /// Stop waiting for the answer, and send the handler `CancelURL`. A late answer is possible.
        case giveUp(delivery: UInt64, isCutOff: Bool)
        /// Store the end and answer those who wait; without an end, the broker ends before the request does.
        case end(RequestEnd?)
    }

    /// What counts as a failure of the handler if it happens more than once to a request.
    package enum HandlerFailure: Sendable, Hashable { case handedBack, cutConnection }

    package let isQueued: Bool
    package let isOrphan: Bool
    package private(set) var state: State
    /// The count of deliveries, with one that is being prepared.
    package private(set) var attempts: UInt32 = 0
    /// The count of crashes of the handler while it had this request alone.
    package private(set) var crashes: UInt32 = 0
    package private(set) var handBacks: UInt32 = 0
    /// How often the direct connection of a handler that had it, and stayed on the bus, ended.
    package private(set) var cuts: UInt32 = 0
    /// Whether a handler crashed while it had it, alone or not.
    package private(set) var hasSeenCrash = false
    /// Whether an earlier broker may have delivered it.
    package private(set) var mayHaveBeenSeen = false
    /// Whether its beginning was written.
    package private(set) var isAccepted = false

    package init(isQueued: Bool) { (self.isQueued, isOrphan, state) = (isQueued, false, .arriving) }

    /// A request that an earlier broker left.
    package init(recovered isQueued: Bool, attempts: UInt32, crashes: UInt32) {
        (self.isQueued, isOrphan, state) = (isQueued, !isQueued, isQueued ? .waiting : .orphaned)
        (self.attempts, self.crashes, isAccepted) = (attempts, crashes, true)
        mayHaveBeenSeen = attempts > 0
    }

    /// An earlier broker knew it and may have delivered it so often.
    package mutating func continues(after attempts: UInt32) {
        (self.attempts, mayHaveBeenSeen) = (max(self.attempts, attempts, 1), true)
    }
}

// MARK: Questions

extension RequestLife {
    package var hasEnded: Bool { state == .ended }

    /// Whether its turn has not come.
    package var isUnsent: Bool {
        switch state {
        case .arriving, .endsOnArrival, .waiting: true
        case .orphaned, .leaving, .delivered, .ended: false
        }
    }

    package var isLeaving: Bool { if case .leaving = state { true } else { false } }
    package var isDelivered: Bool { delivery != nil }
    package var isCutOff: Bool { if case .delivered(_, _, let isCutOff) = state { isCutOff } else { false } }

    /// The number of the delivery that is not answered yet.
    package var delivery: UInt64? { if case .delivered(let delivery, _, _) = state { delivery } else { nil } }
}

// MARK: Events

extension RequestLife {
    package mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.ended, _): []
        case (_, .abandoned): end(nil)
        case (.arriving, _), (.endsOnArrival, _): whileArriving(event)
        case (.orphaned, .timePassed), (.orphaned, .calledOff): end(.orphaned)
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
        // The first reason counts.
        case (_, .endsOnArrival): return []
        case (.calledOff(let end), _), (.undeliverable(let end), _): state = .endsOnArrival(end)
        case (.timePassed(let isStarting), _): state = .endsOnArrival(expired(isStarting))
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
        case .timePassed(let isStarting): return end(expired(isStarting))
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
        // The attempt of a queued request is being written.
        case .timePassed: return isQueued ? [] : end(expired(false))
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
            // Once is in order.
            return failure(.handedBack, handBacks) + putBack(isSuspect: false, isCalledOff)
        case .reachedNobody(delivery): return putBack(isSuspect: false, isCalledOff)
        case .cutOff(delivery):
            state = .delivered(delivery: delivery, isCalledOff: isCalledOff, isCutOff: true)
            return []
        case .stillThere:
            guard isCutOff else { return [] }
            cuts += 1
            // Once may happen to every handler.
            return failure(.cutConnection, cuts) + putBack(isSuspect: false, isCalledOff)
        case .handlerCrashed(let isAlone, let limit): return crashed(isAlone, limit, isCalledOff)
        case .calledOff:
            state = .delivered(delivery: delivery, isCalledOff: true, isCutOff: isCutOff)
            return [.askToCancel]
        // A desktop application is started with its URL, and the start may fail.
        case .undeliverable(let end): return self.end(end)
        case .timePassed: return [.giveUp(delivery: delivery, isCutOff: isCutOff)] + end(.unanswered)
        default: return []
        }
    }

    /// If the sender waits, the request ends. A queued request is delivered again.
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
