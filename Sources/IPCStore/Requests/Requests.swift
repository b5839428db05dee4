package import IPCModel

/// Why the record of an open request cannot be had or changed.
package enum RequestError: Condition, Hashable {
    /// No request has that id, or its record is not kept any more.
    case noSuchRequest(RequestID)
    /// The id was used for a request with other arguments.
    case identifierReused(RequestID)

    package var ipcError: IPCError {
        switch self {
        case .noSuchRequest(let id):
            IPCError(.noSuchRequest, "there is no request \(id.text.quoted), or its record is not kept any more")
        case .identifierReused(let id):
            IPCError(
                .invalidArguments,
                "the id \(id.text.quoted) was used for a request with other arguments; choose a new one")
        }
    }
}

extension StoreTransaction {
    /// Writes the record of a request at its acceptance; nil where it is new, else the record of the first call with
    /// the id, which stays as it is (I10).
    package func beginRequest(_ request: RequestRecord) throws -> RequestRecord? {
        if let known = try self.request(request.id) {
            guard known.arguments == request.arguments else { throw RequestError.identifierReused(request.id) }
            return known
        }
        try session.begin(request)
        return nil
    }

    /// Writes down how a request ended. One that has ended already stays as it is: a request has one end (I6).
    package func finishRequest(_ id: RequestID, _ end: RequestEnd) throws -> RequestRecord {
        guard let sequence = session.requests.sequence(id), var request = try session.request(sequence, id) else {
            throw RequestError.noSuchRequest(id)
        }
        guard request.state != .ended else { return request }
        (request.state, request.outcome, request.ended) = (.ended, end.outcome, now)
        (request.attempts, request.failure, request.reply) = (end.attempts, end.failure, end.reply)
        try session.update(request, sequence)
        session.requests.end(id, sequence, source: request.source.application, at: now)
        session.undo.append(.requestEnded(source: request.source.application))
        try session.forgetRequests(of: request.source.application, at: now, most: 2)
        return request
    }

    /// The record of a request; nil where there is none, or it ended longer ago than it is kept.
    package func request(_ id: RequestID) throws -> RequestRecord? {
        guard let sequence = session.requests.sequence(id) else { return nil }
        guard let request = try session.request(sequence, id) else { return nil }
        let kept = session.configuration.limits.endedRequestsKeptSeconds
        if let ended = request.ended, session.isOver(ended, kept, at: now) { return nil }
        return request
    }

    /// A page of the requests that have not ended, in the order of acceptance. One whose row is damaged is left out.
    package func unendedRequests(after: RequestID? = nil, limit: Int) throws -> [RequestRecord] {
        let first = after.flatMap { session.requests.sequence($0) } ?? 0
        var requests: [RequestRecord] = []
        let statement = try session.statement("SELECT * FROM @.open_request WHERE sequence = ?", .persistent)
        for sequence in session.requests.unended(after: first).prefix(max(0, limit)) {
            if let request = try statement.first([.integer(sequence)], RequestRecord.init) { requests.append(request) }
        }
        return requests
    }

    /// Forgets ended requests whose time is over, at most so many of each source; gives how many.
    package func forgetRequests(atMost most: Int) throws -> Int {
        try session.requests.sources.reduce(0) { try $0 + session.forgetRequests(of: $1, at: now, most: most) }
    }
}

extension StoreSession {
    func begin(_ request: RequestRecord) throws {
        // There may be a record of the same id whose time is over; it goes when its turn comes.
        let earlier = requests.sequence(request.id)
        let sequence = requests.lastSequence + 1
        try insert(
            """
            INSERT INTO @.open_request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .persistent, [.integer(sequence)] + columns(request), in: .openRequest)
        requests.begin(request.id, sequence)
        undo.append(.requestBegun(request.id, earlier: earlier))
    }

    func update(_ request: RequestRecord, _ sequence: Int64) throws {
        try insert(
            """
            REPLACE INTO @.open_request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .persistent, [.integer(sequence)] + columns(request), in: .openRequest)
    }

    private func columns(_ request: RequestRecord) -> [SQLValue] {
        request.columns(replyKeptBytes: configuration.limits.replyKeptBytes)
    }

    /// The record that stands under a key; an error where it is damaged.
    func request(_ sequence: Int64, _ id: RequestID) throws -> RequestRecord? {
        try statement("SELECT * FROM @.open_request WHERE sequence = ?", .persistent).first([.integer(sequence)]) {
            guard let request = RequestRecord($0), request.id == id else {
                throw StoreError.damagedRecord("the request \(id.text)")
            }
            return request
        }
    }

    /// Forgets ended requests of a source that are too many or too old, a few at a time.
    @discardableResult
    func forgetRequests(of source: String, at now: UInt64, most: Int) throws -> Int {
        var forgotten = 0
        while forgotten < most, let oldest = requests.oldest(of: source) {
            let limits = configuration.limits
            guard
                oldest.count > Int(clamping: limits.endedRequestsKept)
                    || isOver(oldest.ended.time, limits.endedRequestsKeptSeconds, at: now)
            else { break }
            try write(
                "DELETE FROM @.open_request WHERE sequence = ?", .persistent, [.integer(oldest.ended.sequence)])
            requests.forgetOldest(of: source)
            undo.append(.requestForgotten(oldest.ended, source: source))
            forgotten += 1
        }
        return forgotten
    }
}
