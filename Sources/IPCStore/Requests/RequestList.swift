package import IPCModel

/// A position in the list of requests.
package struct RequestPlace: Sendable, Hashable {
    let sequence: Int64

    package static let start = RequestPlace(sequence: 0)
}

/// A part of the list of requests, in the order of acceptance, without replies and traces.
package struct RequestPage: Sendable {
    package var requests: [RequestRecord] = []
    /// Nil at the end of the list.
    package var next: RequestPlace?
}

extension Store {
    /// The matching requests after one, in the order of acceptance, without replies and traces. Each operation reads some
    /// hundred requests, and other operations run in between.
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
