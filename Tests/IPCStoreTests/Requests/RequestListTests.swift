import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct RequestListTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    @Test func pagesAreInTheOrderOfAcceptance() async throws {
        var store = try place.open()
        let requests = (0..<50).map { place.request(source: "demo.Source\($0 % 3)") }
        try await store.commit { transaction in
            for request in requests {
                _ = try transaction.requests.begin(
                    request, payload: .items([.string("x")]), trace: [place.step(.queued)])
            }
            for request in requests.reversed() where request.source.application != "demo.Source1" {
                _ = try transaction.requests.finish(request.id, RequestEnd(.failed, reply: [.string("reply")]))
            }
        }
        for _ in 0..<2 {
            var found: [RequestRecord] = []
            while let page = try? await store.requests(after: found.last?.id, limit: 7, where: { _ in true }),
                !page.isEmpty
            {
                #expect(page.count <= 7)
                found += page
            }
            #expect(found.map(\.id) == requests.map(\.id))
            #expect(found.allSatisfy { $0.reply.isEmpty && $0.trace.isEmpty && $0.payload?.bytes == 1 })
            let ended = try await store.requests(after: requests[10].id, limit: 3) { $0.state == .ended }
            #expect(ended.map(\.id) == [11, 12, 14].map { requests[$0].id })
            try await store.close()
            store = try place.open()
        }
        let unknown = RequestID.random()
        await #expect(throws: RequestError.noSuchRequest(unknown)) {
            try await store.requests(after: unknown, limit: 1) { _ in true }
        }
        try await store.close()
    }

    @Test func anOperationExaminesABoundedNumberOfRequests_I15() async throws {
        let store = try place.open()
        let requests = (0..<1_800).map { _ in place.request() }
        _ = try await store.stage { for request in requests { _ = try $0.requests.begin(request) } }
        let last = requests[1_799].id
        var (operations, next, found) = (0, RequestPlace?.some(.start), [RequestID]())
        while let from = next {
            let page = try await store.commit { try $0.requests.page(from: from, limit: 10) { $0.id == last } }
            (operations, next, found) = (operations + 1, page.next, found + page.requests.map(\.id))
        }
        #expect(found == [last] && (2...10).contains(operations))
        #expect(try await store.requests(after: nil, limit: 10) { $0.id == last }.map(\.id) == [last])
        try await store.close()
    }

    @Test func openRequestsAreListedInPages_I6() async throws {
        let store = try place.open()
        let requests = (0..<3_000).map { _ in place.request() }
        _ = try await store.stage { for request in requests { _ = try $0.requests.begin(request) } }
        _ = try await store.stage { transaction in
            for (index, request) in requests.enumerated() where index % 10 != 3 {
                _ = try transaction.requests.finish(request.id, RequestEnd(.failed))
            }
        }
        try await store.put("barrier", on: .named("a"))
        let image = try Store.open(place.crashImage())
        for store in [store, image] {
            var (next, found) = (RequestPlace?.some(.start), [RequestID]())
            while let from = next {
                let page = try await store.commit { try $0.requests.unended(from: from, limit: 64) }
                (next, found) = (page.next, found + page.requests.map(\.id))
            }
            #expect(found == stride(from: 3, to: 3_000, by: 10).map { requests[$0].id })
            try await store.close()
        }
    }
}
