package import IPCModel

extension StoreTransaction {
    /// The record of a request; nil where there is none, or it ended longer ago than it is kept.
    package func request(_ id: RequestID) throws -> RequestRecord? {
        guard let sequence = session.requests.sequence(id), let request = try session.request(sequence, id),
            !session.isOver(request, at: now)
        else { return nil }
        return request
    }

    /// Begins a queued request with the payload of one that ended; its URL, receiver and context are those that the new
    /// record states. Nil where it is new, else the record of the first call with the new id (I10).
    ///
    /// `RequestError.notEnded` where the other one has not ended, `wasTaken` where its handler took it, `payloadGone` where
    /// what went with it is not kept.
    package func retryRequest(
        _ id: RequestID, _ request: RequestRecord, trace: [TraceStep] = []
    ) throws -> RequestRecord? {
        if let known = try known(request) { return known }
        guard var ended = try self.request(id), let sequence = session.requests.sequence(id) else {
            throw RequestError.noSuchRequest(id)
        }
        guard let outcome = ended.outcome else { throw RequestError.notEnded(id) }
        guard !outcome.isTaken else { throw RequestError.wasTaken(id, outcome) }
        guard !ended.lacksPayload else { throw RequestError.payloadGone(id) }
        let most = session.configuration.limits.traceSteps
        var request = request
        try session.share(payloadOf: ended, with: &request)
        request.append(trace, most: most)
        try session.begin(request)
        let step = TraceStep(.retried, at: now, who: request.source.application, detail: request.id.text)
        ended.append([step], most: most)
        try session.update(ended, sequence)
        return nil
    }

    /// Forgets an ended request and its payload; `RequestError.notEnded` where it has not ended.
    package func dropRequest(_ id: RequestID) throws {
        guard var request = try request(id), let sequence = session.requests.sequence(id) else {
            throw RequestError.noSuchRequest(id)
        }
        guard request.state == .ended else { throw RequestError.notEnded(id) }
        try session.releasePayload(of: &request)
        try session.transaction.write(
            "DELETE FROM @.open_request WHERE sequence = ?", .persistent, [.integer(sequence)])
        session.noteDropped(id, sequence, request.payer)
    }
}

extension StoreSession {
    /// Lets another request hold the payload of one that ended as well.
    fileprivate func share(payloadOf ended: RequestRecord, with request: inout RequestRecord) throws {
        guard ended.payloadVersion != 0 else { return }
        guard let version = try intactVersion(ended.payloadVersion, .persistent) else {
            throw RequestError.damagedPayload(ended.id)
        }
        try setPins(version.pins + 1, of: version, .persistent)
        (request.payload, request.payloadVersion) = (ended.payload, ended.payloadVersion)
    }

    /// Notes that a request has ended, and that its payer may have too many then: they are forgotten with the group.
    func noteEnd(of request: RequestRecord, _ sequence: Int64, at now: UInt64) {
        let payer = request.payer
        requests.end(
            request.id.hashValue, sequence, payload: request.payloadVersion, payer: payer, at: now)
        transaction.onUndo { [self] in requests.takeBackEnded(payer) }
        endedInGroup[payer, default: 0] += 1
    }

    fileprivate func noteDropped(_ id: RequestID, _ sequence: Int64, _ payer: RequestPayer) {
        requests.drop(id, sequence, payer: payer)
        transaction.onUndo { [self] in requests.takeBackDropped(id, sequence, payer) }
    }
}
