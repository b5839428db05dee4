import IPCModel
import IPCStore
import Testing

@Suite(.serialized) struct RequestTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    private func request(
        _ id: RequestID, source: String = "demo.IPCClient", arguments: [UInt8] = [1]
    ) -> RequestRecord {
        RequestRecord(
            id: id, arguments: ContentDigest(of: arguments),
            source: Source(application: source, strength: .claimed), application: "demo.IPCServer",
            url: "IPCServer.demo:", pasteboard: .named("demo.IPCClient"), changeCount: 17, accepted: place.clock.now,
            context: [1, 2])
    }

    @Test func recordIsRestoredCompletely() async throws {
        var store = try place.open()
        let id = RequestID.random()
        var expected = request(id)
        let accepted = expected
        let known = try await store.commit { try $0.requests.begin(accepted) }
        #expect(known == nil)
        let reply = [PasteboardItem.string("yes\u{0}no"), .data([0, 255], type: .png)]
        let failure = RequestEnd.Failure(name: "a.b.C", code: "7", message: "seven")
        place.clock.advance(seconds: 1)
        let end = RequestEnd(.declined, attempts: 2, failure: failure, reply: reply)
        let ended = try await store.commit { try $0.requests.finish(id, end) }
        (expected.state, expected.outcome, expected.ended) = (.ended, .declined, place.clock.now)
        (expected.attempts, expected.failure, expected.reply) = (2, failure, reply)
        #expect(ended == expected)
        try await store.close()
        store = try place.open()
        #expect(try await store.commit { try $0.requests.record(id) } == expected)
        try await store.close()
    }

    @Test func repeatedRequestReturnsTheFirst_I10() async throws {
        let store = try place.open()
        let id = RequestID.random()
        let first = request(id)
        try await store.commit { try $0.requests.begin(first) }
        place.clock.advance(seconds: 5)
        let again = request(id)
        #expect(try await store.commit { try $0.requests.begin(again) } == first)
        let other = request(id, arguments: [2])
        await #expect(throws: RequestError.identifierReused(id)) {
            try await store.commit { try $0.requests.begin(other) }
        }
        try await store.close()
    }

    @Test func requestHasOneOutcome_I6() async throws {
        let store = try place.open()
        let id = RequestID.random()
        await #expect(throws: RequestError.noSuchRequest(id)) {
            try await store.commit { try $0.requests.finish(id, RequestEnd(.handled)) }
        }
        let accepted = request(id)
        try await store.commit { try $0.requests.begin(accepted) }
        try await store.commit { try $0.requests.finish(id, RequestEnd(.timedOut)) }
        let late = try await store.commit { try $0.requests.finish(id, RequestEnd(.handled)) }
        #expect(late.outcome == .timedOut)
        try await store.close()
    }

    @Test func requestAndOutcomeTakeOneCommit_I1() async throws {
        let store = try place.open { $0.lingerMilliseconds = 3_600_000 }
        let before = store.statistics.snapshot.commits
        let accepted = request(.random())
        let staged = try await store.stage { try $0.requests.begin(accepted) }
        #expect(store.statistics.snapshot.commits == before)
        try await store.commit { transaction in
            try transaction.require(staged.group)
            _ = try transaction.requests.finish(accepted.id, RequestEnd(.handled))
        }
        #expect(store.statistics.snapshot.commits == before + 1)
        let image = try Store.open(place.crashImage())
        #expect(try await image.commit { try $0.requests.record(accepted.id)?.outcome } == .handled)
        try await image.close()
        try await store.close()
    }

    @Test func openRequestsAreListedInOrderAndSurvive_I6() async throws {
        let store = try place.open()
        let requests = (0..<10).map { _ in request(.random()) }
        try await store.commit { for request in requests { _ = try $0.requests.begin(request) } }
        try await store.commit { transaction in
            for index in [0, 3, 9] { _ = try transaction.requests.finish(requests[index].id, RequestEnd(.failed)) }
        }
        let image = try Store.open(place.crashImage())
        for store in [store, image] {
            let first = try await store.commit { try $0.requests.unended(from: .start, limit: 4) }
            let next = try #require(first.next)
            let rest = try await store.commit { try $0.requests.unended(from: next, limit: 4) }
            #expect(rest.next == nil)
            #expect((first.requests + rest.requests).map(\.id) == [1, 2, 4, 5, 6, 7, 8].map { requests[$0].id })
            try await store.close()
        }
    }

    @Test func newestRequestsOfASourceAreKept_I6() async throws {
        let store = try place.open { $0.limits.endedRequestsKept = 5 }
        let other = request(.random(), source: "demo.Other")
        let waiting = request(.random())
        let ended = (0..<20).map { _ in request(.random()) }
        try await store.commit { transaction in
            for request in [other, waiting] + ended { _ = try transaction.requests.begin(request) }
            for request in [other] + ended { _ = try transaction.requests.finish(request.id, RequestEnd(.handled)) }
        }
        for (index, request) in ended.enumerated() {
            let found = try await store.commit { try $0.requests.record(request.id) }
            #expect((found != nil) == (index >= 15), "\(index)")
        }
        #expect(try await store.commit { try $0.requests.record(other.id) } != nil)
        #expect(try await store.commit { try $0.requests.record(waiting.id) } != nil)
        try await store.close()
    }

    @Test func endedRequestsAreKeptForADay_I6() async throws {
        let store = try place.open()
        let (old, waiting) = (request(.random()), request(.random()))
        try await store.commit { transaction in
            for request in [old, waiting] { _ = try transaction.requests.begin(request) }
            _ = try transaction.requests.finish(old.id, RequestEnd(.handled))
        }
        place.clock.advance(seconds: 86_399)
        #expect(try await store.commit { try $0.requests.record(old.id) } != nil)
        place.clock.advance(seconds: 1)
        #expect(try await store.commit { try $0.requests.record(old.id) } == nil)
        #expect(try await store.commit { try $0.requests.record(waiting.id) } != nil)
        // The id can be used again, and the new record stays when the old one is deleted.
        let again = request(old.id, arguments: [7])
        #expect(try await store.commit { try $0.requests.begin(again) } == nil)
        #expect(try await store.commit { $0.nextExpiry } != nil)
        #expect(try await store.commit { try $0.expire() } == nil)
        #expect(try await store.commit { try $0.requests.record(old.id) } == again)
        try await store.close()
    }

    @Test func replyIsKeptUpToItsLimit() async throws {
        let store = try place.open()
        for (size, isKept) in [(65_536, true), (65_537, false)] {
            let accepted = request(.random())
            let reply = [PasteboardItem.data(Array(repeating: 1, count: size))]
            try await store.commit { transaction in
                _ = try transaction.requests.begin(accepted)
                _ = try transaction.requests.finish(accepted.id, RequestEnd(.handled, reply: reply))
            }
            let kept = try await store.commit { try $0.requests.record(accepted.id)?.reply }
            #expect(kept == (isKept ? reply : []))
        }
        try await store.close()
    }
}
