package import IPCModel

/// Where a list of requests goes on.
package struct RequestPlace: Sendable, Hashable {
    let sequence: Int64

    /// Before the first request.
    package static let start = RequestPlace(sequence: 0)
}

/// A part of a list of requests, in the order of acceptance, without their replies and traces.
package struct RequestPage: Sendable {
    package var requests: [RequestRecord] = []
    /// Where the list goes on; nil at its end.
    package var next: RequestPlace?
}

extension StoreTransaction {
    /// The place behind a request; `RequestError.noSuchRequest` where its record is not kept any more.
    package func place(after id: RequestID) throws -> RequestPlace {
        guard let sequence = session.requests.sequence(id) else { throw RequestError.noSuchRequest(id) }
        return RequestPlace(sequence: sequence)
    }

    /// A page of the requests that match, at most `limit`, also of fewer where many do not match: an operation looks at
    /// some hundreds. One whose row is damaged is left out.
    package func requests(
        from place: RequestPlace, limit: Int, where matches: (RequestRecord) -> Bool
    ) throws -> RequestPage {
        var page = RequestPage()
        guard limit > 0 else { return page }
        var (seen, last) = (0, place.sequence)
        let statement = try session.transaction.statement(
            "SELECT * FROM @.open_request WHERE sequence > ? ORDER BY sequence", .persistent)
        try statement.scan([.integer(place.sequence)]) { row in
            guard page.requests.count < limit, seen < Self.mostSeen else {
                page.next = RequestPlace(sequence: last)
                return false
            }
            (seen, last) = (seen + 1, row.integer(0))
            guard let request = RequestRecord(outline: row), !session.isOver(request, at: now), matches(request) else {
                return true
            }
            page.requests.append(request)
            return true
        }
        return page
    }

    private static let mostSeen = 500

    /// A page of the requests that have not ended; nothing else is looked at. One whose row is damaged is left out, and
    /// counts as ended now.
    package func unendedRequests(from place: RequestPlace, limit: Int) throws -> RequestPage {
        var page = RequestPage()
        let sequences = session.requests.unended(after: place.sequence, atMost: max(0, limit))
        let statement = try session.transaction.statement(
            "SELECT * FROM @.open_request WHERE sequence = ?", .persistent)
        for sequence in sequences {
            if let request = try statement.first([.integer(sequence)], RequestRecord.init(outline:)) {
                page.requests.append(request)
            } else {
                session.noteDamagedRequest(sequence, at: now)
            }
        }
        page.next = sequences.count == limit ? sequences.last.map(RequestPlace.init) : nil
        return page
    }

    /// The same behind a request, or from the start where that is not known any more.
    package func unendedRequests(after: RequestID? = nil, limit: Int) throws -> [RequestRecord] {
        let place = after.flatMap { session.requests.sequence($0) }.map(RequestPlace.init) ?? .start
        return try unendedRequests(from: place, limit: limit).requests
    }
}

extension StoreSession {
    /// Nobody can end a request whose row is damaged: its time to be forgotten begins.
    fileprivate func noteDamagedRequest(_ sequence: Int64, at now: UInt64) {
        guard let key = requests.key(of: sequence) else { return }
        requests.end(key, sequence, payer: .nobody, at: now)
        transaction.onUndo { [self] in requests.takeBackEnded(.nobody) }
    }
}

extension Store {
    /// The requests that match, in the order of acceptance, at most `limit` behind `after`, without their replies and
    /// traces. Other operations run in between: each one of this looks at some hundreds of requests.
    ///
    /// `RequestError.noSuchRequest` where the record of `after` is not kept any more.
    nonisolated(nonsending) package func requests(
        after: RequestID?, limit: Int, where matches: @escaping @Sendable (RequestRecord) -> Bool
    ) async throws -> [RequestRecord] {
        var requests: [RequestRecord] = []
        var place: RequestPlace? = .start
        if let after { place = try await commit { try $0.place(after: after) } }
        while let from = place, requests.count < limit {
            let most = limit - requests.count
            let page = try await commit { try $0.requests(from: from, limit: most, where: matches) }
            requests += page.requests
            place = page.next
        }
        return requests
    }
}
