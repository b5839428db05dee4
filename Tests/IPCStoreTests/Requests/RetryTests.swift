import IPCModel
import IPCStore
import Testing

/// Retrying and dropping requests.
@Suite(.serialized) struct RetryTests {
    let place: TestPlace
    let items = [PasteboardItem.string("with it")]

    init() throws { place = try TestPlace() }

    @Test func retrySharesThePayloadAndIsRepeatable_I10() async throws {
        let store = try place.open()
        let (first, second) = (place.request(), place.request(arguments: [2]))
        try await store.accept(first, .items(items))
        await #expect(throws: RequestError.notEnded(first.id)) {
            try await store.commit { try $0.requests.retry(first.id, second) }
        }
        try await store.end(first.id, .failed)
        let step = place.step(.queued)
        #expect(try await store.commit { try $0.requests.retry(first.id, second, trace: [step]) } == nil)
        let begun = try #require(try await store.commit { try $0.requests.record(second.id) })
        #expect(begun.payload == .init(items: 1, bytes: 7) && begun.trace == [step] && begun.state == .queued)
        #expect(try await store.commit { try $0.requests.retry(first.id, second) } == begun)
        let other = place.request(second.id, arguments: [3])
        await #expect(throws: RequestError.identifierReused(second.id)) {
            try await store.commit { try $0.requests.retry(first.id, other) }
        }
        #expect(try await store.commit { try $0.requests.record(first.id)?.trace.map(\.kind) } == [.retried])
        // Both requests use the same payload: it is charged once, and removed with the second of them.
        #expect(try await store.commit { $0.usage() }.total.bytes == 7)
        try await store.commit { try $0.requests.drop(first.id) }
        #expect(try await store.attempt(second.id) == items)
        try await store.end(second.id, .handled)
        #expect(try await store.commit { $0.usage() }.total.bytes == 0)
        try await store.close()
    }

    @Test func handledOrUncertainRequestIsNotRetried() async throws {
        let store = try place.open()
        let unknown = RequestID.random()
        await #expect(throws: RequestError.noSuchRequest(unknown)) {
            try await store.commit { try $0.requests.retry(unknown, place.request()) }
        }
        for outcome in [Outcome.handled, .delivered] {
            let request = place.request()
            try await store.accept(request, .none)
            try await store.end(request.id, outcome)
            await #expect(throws: RequestError.wasTaken(request.id, outcome)) {
                try await store.commit { try $0.requests.retry(request.id, place.request()) }
            }
        }
        // The control: a request without a payload can be retried.
        let failed = place.request()
        try await store.accept(failed, .none)
        try await store.end(failed.id, .expired)
        #expect(try await store.commit { try $0.requests.retry(failed.id, place.request()) } == nil)
        try await store.close()
    }

    @Test func onlyEndedRequestsAreDropped_I6() async throws {
        var store = try place.open()
        let (kept, dropped) = (place.request(), place.request())
        for request in [kept, dropped] { try await store.accept(request, .items(items)) }
        await #expect(throws: RequestError.notEnded(dropped.id)) {
            try await store.commit { try $0.requests.drop(dropped.id) }
        }
        for request in [kept, dropped] { try await store.end(request.id, .failed) }
        try await store.commit { try $0.requests.drop(dropped.id) }
        for _ in 0..<2 {
            #expect(try await store.commit { try $0.requests.record(dropped.id) } == nil)
            #expect(try await store.commit { try $0.requests.record(kept.id) } != nil)
            await #expect(throws: RequestError.noSuchRequest(dropped.id)) {
                try await store.commit { try $0.requests.drop(dropped.id) }
            }
            try await store.close()
            store = try place.open()
        }
        // The id is free again.
        #expect(try await store.commit { try $0.requests.begin(dropped) } == nil)
        try await store.close()
    }

    @Test func droppedRequestsDoNotCountAsKept_I6() async throws {
        let store = try place.open { $0.limits.endedRequestsKept = 5 }
        let requests = (0..<20).map { _ in place.request() }
        for (index, request) in requests.enumerated() {
            try await store.accept(request, .items(items))
            try await store.end(request.id, .failed)
            if index % 2 == 0 { try await store.commit { try $0.requests.drop(request.id) } }
        }
        let listed = try await store.requests(after: nil, limit: 100) { _ in true }
        #expect(listed.map(\.id) == [11, 13, 15, 17, 19].map { requests[$0].id })
        #expect(try await store.commit { $0.usage() }.total.items == 5)
        try await store.close()
    }

    @Test func payloadsAreRemovedAfterADay() async throws {
        let store = try place.open()
        let (old, young) = (place.request(), place.request(source: "demo.Other"))
        for request in [old, young] { try await store.accept(request, .items(items)) }
        #expect(try await store.commit { $0.nextExpiry } == nil)
        try await store.end(old.id, .failed)
        place.pass(3_600_000)
        try await store.end(young.id, .failed)
        let next = try #require(try await store.commit { try $0.expire() })
        #expect(next == place.uptime.now + 82_800_000 + 60_000)
        place.pass(next - place.uptime.now - 60_001)
        _ = try await store.commit { try $0.expire() }
        #expect(try await store.commit { $0.usage() }.total.items == 2)
        place.pass(60_001)
        let last = try #require(try await store.commit { try $0.expire() })
        #expect(try await store.commit { $0.usage() }.total.items == 1)
        #expect(last == place.uptime.now + 3_600_000)
        place.pass(3_600_000)
        #expect(try await store.commit { try $0.expire() } == nil)
        #expect(try await store.commit { $0.usage() }.total.items == 0)
        try await store.close()
    }
}
