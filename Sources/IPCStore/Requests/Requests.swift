package import IPCModel

/// The requests that have a record: their acceptance, their attempts, their end, and lists of them.
package final class Requests {
    private let transaction: GroupTransaction
    private let rows: RequestRows
    private let payloads: RequestPayloads
    private let retention: RequestRetention
    private let mostSteps: UInt64

    init(
        _ transaction: GroupTransaction, _ rows: RequestRows, _ payloads: RequestPayloads, _ retention: RequestRetention
    ) {
        (self.transaction, self.rows, self.payloads, self.retention) = (transaction, rows, payloads, retention)
        mostSteps = transaction.configuration.limits.traceSteps
    }

    // MARK: Records

    /// The record of a request; nil where there is none, or it ended longer ago than it is kept.
    package func record(_ id: RequestID) throws -> RequestRecord? {
        guard let sequence = rows.sequence(id), let request = try rows.record(sequence, id),
            !retention.isOver(request)
        else { return nil }
        return request
    }

    /// Begins a queued request with the payload of one that ended; its URL, receiver and context are those that the new
    /// record states. Nil where it is new, else the record of the first call with the new id (I10).
    ///
    /// `RequestError.notEnded` where the other one has not ended, `wasTaken` where its handler took it, `payloadGone` where
    /// what went with it is not kept.
    package func retry(
        _ id: RequestID, _ request: RequestRecord, trace: [TraceStep] = []
    ) throws -> RequestRecord? {
        if let known = try known(request) { return known }
        guard var ended = try record(id), let sequence = rows.sequence(id) else {
            throw RequestError.noSuchRequest(id)
        }
        guard let outcome = ended.outcome else { throw RequestError.notEnded(id) }
        guard !outcome.isTaken else { throw RequestError.wasTaken(id, outcome) }
        guard !ended.lacksPayload else { throw RequestError.payloadGone(id) }
        var request = request
        try payloads.share(payloadOf: ended, with: &request)
        request.append(trace, most: mostSteps)
        try rows.begin(request)
        let step = TraceStep(.retried, at: transaction.now, who: request.source.application, detail: request.id.text)
        ended.append([step], most: mostSteps)
        try rows.update(ended, sequence)
        return nil
    }

    /// Forgets an ended request and its payload; `RequestError.notEnded` where it has not ended.
    package func drop(_ id: RequestID) throws {
        guard var request = try record(id), let sequence = rows.sequence(id) else {
            throw RequestError.noSuchRequest(id)
        }
        guard request.state == .ended else { throw RequestError.notEnded(id) }
        try payloads.release(of: &request)
        try rows.drop(id, sequence, of: request.payer)
    }

    // MARK: The life of a request

    /// Writes the record of a request at its acceptance, with its payload and the first steps of its trace; nil where it
    /// is new, else the record of the first call with the id, which stays as it is (I10).
    ///
    /// A change of a pasteboard that belongs to the request is made in the same operation, once ``record(_:)`` has shown
    /// that the id is new. Errors of the payload are those of reading a version and of the limits, and
    /// `RequestError.notToBeKept` for what is secret or for one reader alone; for files see ``Store/withPayload(_:_:)``.
    package func begin(
        _ request: RequestRecord, payload: RequestPayload = .none, trace: [TraceStep] = []
    ) throws -> RequestRecord? {
        if let known = try known(request) { return known }
        var request = request
        request.append(trace, most: mostSteps)
        let kept = try payloads.keepable(payload, of: request.source)
        try payloads.keep(kept, with: &request)
        try rows.begin(request)
        return nil
    }

    /// The record of an earlier call with the same id.
    private func known(_ request: RequestRecord) throws -> RequestRecord? {
        guard let known = try record(request.id) else { return nil }
        guard known.arguments == request.arguments else { throw RequestError.identifierReused(request.id) }
        return known
    }

    /// Notes that a request is handed over once more, and reads what is handed over.
    ///
    /// `StoreError.damagedRecord` where its row is damaged, as in all that follows: nobody can end it, and it is forgotten
    /// in its time. `RequestError.hasEnded` where it has ended meanwhile, `RequestError.damagedPayload` where it can never be handed
    /// over as it was sent: then nothing is noted. Any other condition passes, as when no descriptor is left.
    package func beginAttempt(_ id: RequestID, trace: [TraceStep] = []) throws -> RequestAttempt {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { throw RequestError.hasEnded(id) }
        let items = try payloads.items(of: request)
        request.attempts += 1
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
        return RequestAttempt(record: request, items: items)
    }

    /// Notes that the handler left without an answer; `alone` where it had this request and no other.
    ///
    /// One that has ended stays as it is.
    package func noteHandlerLeft(_ id: RequestID, alone: Bool, trace: [TraceStep] = []) throws -> RequestRecord {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { return request }
        if alone { request.crashes += 1 }
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
        return request
    }

    /// Notes what has happened with a request that goes on; one that has ended stays as it is.
    package func noteSteps(_ id: RequestID, _ trace: [TraceStep]) throws {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { return }
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
    }

    /// Writes down how a request ended, lets go of the payload of one that was handled or delivered, and keeps that of
    /// any other. One that has ended already stays as it is: a request has one end (I6). The attempts that are noted
    /// never become fewer.
    ///
    /// - Parameter payload: of a request that was begun without one. The end is never refused because of it: what cannot
    ///   be kept, as a version that is gone or a secret, is left out, and a retry is told so. `IntakeOutdated` where a file
    ///   is not on the disk.
    package func finish(
        _ id: RequestID, _ end: RequestEnd, payload: RequestPayload = .none, trace: [TraceStep] = []
    ) throws -> RequestRecord {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { return request }
        request.end(end, at: transaction.now)
        request.append(trace, most: mostSteps)
        if end.outcome.isTaken {
            try payloads.release(of: &request)
        } else if request.payloadVersion == 0 {
            try payloads.keep(try keepableOrWithheld(payload, of: request.source), with: &request)
        }
        try rows.update(request, sequence)
        rows.noteEnd(of: request, sequence)
        retention.noteEnd(of: request.payer)
        return request
    }

    private func keepableOrWithheld(_ payload: RequestPayload, of source: Source) throws -> KeptPayload {
        do {
            return try payloads.keepable(payload, of: source)
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
        var (sequence, request) = try rows.existing(id)
        guard request.outcome == .timedOut, request.lateOutcome == nil else { return }
        request.lateOutcome = outcome
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
    }

    // MARK: Lists

    /// The place behind a request; `RequestError.noSuchRequest` where its record is not kept any more.
    package func place(after id: RequestID) throws -> RequestPlace {
        guard let sequence = rows.sequence(id) else { throw RequestError.noSuchRequest(id) }
        return RequestPlace(sequence: sequence)
    }

    /// A page of the requests that match, at most `limit`, also of fewer where many do not match: an operation looks at
    /// some hundreds. One whose row is damaged is left out.
    package func page(
        from place: RequestPlace, limit: Int, where matches: (RequestRecord) -> Bool
    ) throws -> RequestPage {
        var page = RequestPage()
        guard limit > 0 else { return page }
        var (seen, last) = (0, place.sequence)
        try rows.scan(after: place.sequence) { sequence, request in
            guard page.requests.count < limit, seen < Self.mostSeen else {
                page.next = RequestPlace(sequence: last)
                return false
            }
            (seen, last) = (seen + 1, sequence)
            if let request, !retention.isOver(request), matches(request) { page.requests.append(request) }
            return true
        }
        return page
    }

    private static let mostSeen = 500

    /// A page of the requests that have not ended; nothing else is looked at. One whose row is damaged is left out, and
    /// counts as ended now.
    package func unended(from place: RequestPlace, limit: Int) throws -> RequestPage {
        var page = RequestPage()
        let sequences = rows.unended(after: place.sequence, atMost: max(0, limit))
        for sequence in sequences {
            if let request = try rows.outline(sequence) {
                page.requests.append(request)
            } else {
                rows.noteDamaged(sequence)
            }
        }
        page.next = sequences.count == limit ? sequences.last.map(RequestPlace.init) : nil
        return page
    }

    /// The same behind a request, or from the start where that is not known any more.
    package func unended(after: RequestID? = nil, limit: Int) throws -> [RequestRecord] {
        let place = after.flatMap { rows.sequence($0) }.map(RequestPlace.init) ?? .start
        return try unended(from: place, limit: limit).requests
    }

    // MARK: Retention

    /// Forgets ended requests whose time is over, at most `most` of each payer; gives the count.
    /// ``StoreTransaction/expire()`` does so by itself.
    package func forget(atMost most: Int) throws -> Int {
        try rows.payers.reduce(0) { try $0 + retention.forget(of: $1, most: most) }
    }
}

/// A request that goes to its handler now.
package struct RequestAttempt: Sendable {
    package let record: RequestRecord
    /// Nil where nothing goes with it, or what does is not kept.
    package let items: [PasteboardItem]?
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
