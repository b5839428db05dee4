package import IPCModel

/// The requests that have a record: their acceptance, attempts and ends, and lists of them.
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

    /// The record of a request; `nil` if there is none, or its retention period is over.
    package func record(_ id: RequestID) throws -> RequestRecord? { try stored(id)?.record }

    private func stored(_ id: RequestID) throws -> (sequence: Int64, record: RequestRecord)? {
        guard let sequence = rows.log.sequence(id), let request = try rows.record(sequence, id),
            !retention.isOver(request)
        else { return nil }
        return (sequence, request)
    }

    private func ended(_ id: RequestID) throws -> (sequence: Int64, record: RequestRecord) {
        guard let stored = try stored(id) else { throw RequestError.noSuchRequest(id) }
        guard stored.record.state == .ended else { throw RequestError.notEnded(id) }
        return stored
    }

    /// Begins a queued request with the payload of an ended one. The URL, handler and context are those of `request`.
    /// - Returns: `nil` for a new request, or else the record of the first call with this id (I10).
    /// - Throws: `RequestError.notEnded`; `wasTaken` if the handler took the ended request; `payloadGone`.
    package func retry(
        _ id: RequestID, _ request: RequestRecord, trace: [TraceStep] = []
    ) throws -> RequestRecord? {
        if let known = try known(request) { return known }
        var (sequence, ended) = try ended(id)
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

    /// Forgets an ended request and its payload.
    /// - Throws: `RequestError.notEnded`
    package func drop(_ id: RequestID) throws {
        var (sequence, request) = try ended(id)
        try payloads.release(of: &request)
        try rows.drop(id, sequence, of: request.payer)
    }

    /// Like ``drop(_:)``, unless the payload is large.
    /// - Returns: whether the request was forgotten.
    func dropIfSmall(_ id: RequestID) throws -> Bool {
        guard try ended(id).record.payload?.isSmall ?? true else { return false }
        try drop(id)
        return true
    }

    /// Writes the record of an accepted request, with its payload and the first steps of its trace. If the request also
    /// changes a pasteboard, make that change in the same operation, after ``record(_:)`` has shown that the id is new.
    /// For files, see ``Store/withPayload(_:_:)``.
    /// - Returns: `nil` for a new request, or else the unchanged record of the first call with this id (I10).
    /// - Throws: the errors of ``RequestPayloads/keepable(_:of:)``.
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

    /// Checks that a version of a pasteboard can become the payload of a request within an operation. Do this before you
    /// read the version's items, because reading a large version takes long.
    /// - Parameter count: the change count of the version; `nil` for the current one.
    /// - Throws: ``IntakeOutdated`` if the version must be copied to disk first; errors of the pasteboard.
    package func checkIsSmall(versionOf name: PasteboardName, _ count: UInt64?) throws {
        try payloads.checkIsSmall(name, count)
    }

    private func known(_ request: RequestRecord) throws -> RequestRecord? {
        guard let known = try record(request.id) else { return nil }
        guard known.arguments == request.arguments else { throw RequestError.identifierReused(request.id) }
        return known
    }

    /// Records a delivery attempt, and reads the payload.
    /// - Throws: `StoreError.damagedRecord` if the row is damaged, as do all methods below: no call can end such a
    ///   request, and it is forgotten after its retention period. `RequestError.hasEnded` if the request has ended.
    ///   `RequestError.damagedPayload` if the request can never be delivered as it was sent; then no attempt is
    ///   recorded. Other errors are temporary, for example if the broker has no file descriptor left.
    package func beginAttempt(
        _ id: RequestID, trace: [TraceStep] = []
    ) throws -> (record: RequestRecord, items: [PasteboardItem]?) {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { throw RequestError.hasEnded(id) }
        let items = try payloads.items(of: request)
        request.attempts += 1
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
        return (request, items)
    }

    /// Records steps of a request. A request that has ended stays unchanged.
    /// - Parameter isCrash: whether the handler left the bus without answering while this was its only request.
    @discardableResult
    package func noteSteps(_ id: RequestID, _ trace: [TraceStep], isCrash: Bool = false) throws -> RequestRecord {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { return request }
        if isCrash { request.crashes += 1 }
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
        return request
    }

    /// Records the end of a request. The payload of a handled or delivered request is released; any other payload is
    /// kept. A request ends only once (I6): one that has ended stays unchanged. The number of attempts never decreases.
    /// - Parameter payload: the payload, if the request began without one. The request ends in any case: a payload that
    ///   cannot be kept, such as a dropped version or a secret, is left out, and a retry reports that.
    /// - Throws: ``IntakeOutdated`` if a file of the payload is not on disk.
    package func finish(
        _ id: RequestID, _ end: RequestEnd, payload: RequestPayload = .none, trace: [TraceStep] = []
    ) throws -> RequestRecord {
        var (sequence, request) = try rows.existing(id)
        guard request.state != .ended else { return request }
        (request.state, request.outcome, request.ended) = (.ended, end.outcome, transaction.now)
        (request.attempts, request.failure) = (max(request.attempts, end.attempts), end.failure)
        request.reply = end.reply
        request.append(trace, most: mostSteps)
        if end.outcome.isTaken {
            try payloads.release(of: &request)
        } else if request.payloadVersion == 0 {
            try payloads.keep(try keepableOrWithheld(payload, of: request.source), with: &request)
        }
        try rows.update(request, sequence)
        let payer = request.payer
        rows.noteEnd(of: request, sequence, payer)
        retention.noteEnd(of: payer)
        return request
    }

    private func keepableOrWithheld(_ payload: RequestPayload, of source: Source) throws -> KeptPayload {
        do {
            return try payloads.keepable(payload, of: source)
        } catch let error
            where error is PasteboardError || error is RequestError || error is IPCError || error is LimitExceeded
            || error is UnfulfilledPromises
        {
            return .withheld
        }
    }

    /// Records an answer that the handler gave after the request had ended as `timed-out`. Only the first one counts.
    package func noteLateOutcome(_ id: RequestID, _ outcome: Outcome, trace: [TraceStep] = []) throws {
        var (sequence, request) = try rows.existing(id)
        guard request.outcome == .timedOut, request.lateOutcome == nil else { return }
        request.lateOutcome = outcome
        request.append(trace, most: mostSteps)
        try rows.update(request, sequence)
    }

    /// - Throws: `RequestError.noSuchRequest` if the record was forgotten.
    package func place(after id: RequestID) throws -> RequestPlace {
        guard let sequence = rows.log.sequence(id) else { throw RequestError.noSuchRequest(id) }
        return RequestPlace(sequence: sequence)
    }

    /// A page of the matching requests, except damaged ones. It may have fewer than `limit` even if more match, because
    /// one operation reads only a few hundred requests.
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

    /// A page of the requests that have not ended. A damaged request is left out, and counts as ended from now on.
    package func unended(from place: RequestPlace, limit: Int) throws -> RequestPage {
        var page = RequestPage()
        let sequences = rows.log.unended(after: place.sequence, atMost: max(0, limit))
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
}

extension RequestRecord.Payload {
    fileprivate var isSmall: Bool { LargeOperations.areSmall(inlineBytes: bytes, values: Int(items)) }
}

extension Store {
    /// Forgets an ended request and its payload. A large payload is deleted as a large write (``LargeOperations``).
    /// - Throws: `RequestError.notEnded`
    nonisolated(nonsending) package func drop(_ id: RequestID) async throws {
        guard try await !commit({ try $0.requests.dropIfSmall(id) }) else { return }
        try await commit(isLarge: true) { try $0.requests.drop(id) }
    }
}

extension Outcome {
    /// Whether the handler has the payload, so that no retry needs it.
    package var isTaken: Bool { self == .handled || self == .delivered }
}

package struct RequestPlace: Sendable, Hashable {
    let sequence: Int64

    package static let start = RequestPlace(sequence: 0)
}

/// Part of the list of requests, in order of acceptance, without replies and traces.
package struct RequestPage: Sendable {
    package var requests: [RequestRecord] = []
    /// Where the next page begins; `nil` at the end of the list.
    package var next: RequestPlace?
}

extension Store {
    /// The matching requests after a given one, in order of acceptance, without replies and traces. Each operation
    /// reads a few hundred requests, and other operations run in between.
    /// - Throws: `RequestError.noSuchRequest` if the record of `after` was forgotten.
    nonisolated(nonsending) package func requests(
        after: RequestID?, limit: Int, where matches: @escaping @Sendable (RequestRecord) -> Bool
    ) async throws -> [RequestRecord] {
        var requests: [RequestRecord] = []
        var place: RequestPlace? = .start
        if let after { place = try await commit { try $0.requests.place(after: after) } }
        while let from = place, requests.count < limit {
            let most = limit - requests.count
            let page = try await commit { try $0.requests.page(from: from, limit: most, where: matches) }
            requests += page.requests
            place = page.next
        }
        return requests
    }
}
