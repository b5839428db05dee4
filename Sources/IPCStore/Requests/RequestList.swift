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
