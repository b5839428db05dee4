package import IPCModel

/// A request that goes to its handler now.
package struct RequestAttempt: Sendable {
    package let record: RequestRecord
    /// Nil where nothing goes with it, or what does is not kept.
    package let items: [PasteboardItem]?
}

extension StoreTransaction {
    /// Writes the record of a request at its acceptance, with its payload and the first steps of its trace; nil where it
    /// is new, else the record of the first call with the id, which stays as it is (I10).
    ///
    /// A change of a pasteboard that belongs to the request is made in the same operation, once ``request(_:)`` has shown
    /// that the id is new. Errors of the payload are those of reading a version and of the limits, and
    /// `RequestError.notToBeKept` for what is secret or for one reader alone; for files see ``Store/withPayload(_:_:)``.
    package func beginRequest(
        _ request: RequestRecord, payload: RequestPayload = .none, trace: [TraceStep] = []
    ) throws -> RequestRecord? {
        if let known = try known(request) { return known }
        var request = request
        request.append(trace, most: session.configuration.limits.traceSteps)
        let kept = try session.keepable(payload, of: request.source)
        try session.keep(kept, with: &request, at: now)
        try session.begin(request)
        return nil
    }

    /// The record of an earlier call with the same id.
    func known(_ request: RequestRecord) throws -> RequestRecord? {
        guard let known = try self.request(request.id) else { return nil }
        guard known.arguments == request.arguments else { throw RequestError.identifierReused(request.id) }
        return known
    }

    /// Notes that a request is handed over once more, and reads what is handed over.
    ///
    /// `StoreError.damagedRecord` where its row is damaged, as in all that follows: nobody can end it, and it is forgotten
    /// in its time. `RequestError.hasEnded` where it has ended meanwhile, `RequestError.damagedPayload` where it can never be handed
    /// over as it was sent: then nothing is noted. Any other condition passes, as when no descriptor is left.
    package func beginAttempt(_ id: RequestID, trace: [TraceStep] = []) throws -> RequestAttempt {
        var (sequence, request) = try session.existingRequest(id)
        guard request.state != .ended else { throw RequestError.hasEnded(id) }
        let items = try session.payload(of: request)
        request.attempts += 1
        request.append(trace, most: session.configuration.limits.traceSteps)
        try session.update(request, sequence)
        return RequestAttempt(record: request, items: items)
    }

    /// Notes that the handler left without an answer; `alone` where it had this request and no other.
    ///
    /// One that has ended stays as it is.
    package func noteHandlerLeft(_ id: RequestID, alone: Bool, trace: [TraceStep] = []) throws -> RequestRecord {
        var (sequence, request) = try session.existingRequest(id)
        guard request.state != .ended else { return request }
        if alone { request.crashes += 1 }
        request.append(trace, most: session.configuration.limits.traceSteps)
        try session.update(request, sequence)
        return request
    }

    /// Notes what has happened with a request that goes on; one that has ended stays as it is.
    package func noteSteps(_ id: RequestID, _ trace: [TraceStep]) throws {
        var (sequence, request) = try session.existingRequest(id)
        guard request.state != .ended else { return }
        request.append(trace, most: session.configuration.limits.traceSteps)
        try session.update(request, sequence)
    }

    /// Writes down how a request ended, lets go of the payload of one that was handled or delivered, and keeps that of
    /// any other. One that has ended already stays as it is: a request has one end (I6). The attempts that are noted
    /// never become fewer.
    ///
    /// - Parameter payload: of a request that was begun without one. The end is never refused because of it: what cannot
    ///   be kept, as a version that is gone or a secret, is left out, and a retry is told so. `IntakeOutdated` where a file
    ///   is not on the disk.
    package func finishRequest(
        _ id: RequestID, _ end: RequestEnd, payload: RequestPayload = .none, trace: [TraceStep] = []
    ) throws -> RequestRecord {
        var (sequence, request) = try session.existingRequest(id)
        guard request.state != .ended else { return request }
        request.end(end, at: now)
        request.append(trace, most: session.configuration.limits.traceSteps)
        if end.outcome.isTaken {
            try session.releasePayload(of: &request)
        } else if request.payloadVersion == 0 {
            try session.keep(try keepableOrWithheld(payload, of: request.source), with: &request, at: now)
        }
        try session.update(request, sequence)
        session.noteEnd(of: request, sequence, at: now)
        return request
    }

    private func keepableOrWithheld(_ payload: RequestPayload, of source: Source) throws -> KeptPayload {
        do {
            return try session.keepable(payload, of: source)
        } catch let error
            where error is PasteboardError || error is RequestError || error is IPCError
            || error is LimitExceeded
        {
            return .withheld
        } catch is UnfulfilledPromises {
            return .withheld
        }
    }

    /// What the handler said after the request had ended as `timed-out`; only the first answer counts.
    package func noteLateOutcome(_ id: RequestID, _ outcome: Outcome, trace: [TraceStep] = []) throws {
        var (sequence, request) = try session.existingRequest(id)
        guard request.outcome == .timedOut, request.lateOutcome == nil else { return }
        request.lateOutcome = outcome
        request.append(trace, most: session.configuration.limits.traceSteps)
        try session.update(request, sequence)
    }
}

extension RequestRecord {
    /// Sets how and when the request ended.
    fileprivate mutating func end(_ end: RequestEnd, at now: UInt64) {
        (state, outcome, ended) = (.ended, end.outcome, now)
        (attempts, failure, reply) = (max(attempts, end.attempts), end.failure, end.reply)
    }
}

extension Outcome {
    /// Whether the handler has what was sent, so that nobody needs it again.
    var isTaken: Bool { self == .handled || self == .delivered }
}
