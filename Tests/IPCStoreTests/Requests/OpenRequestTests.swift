import IPCModel
import IPCStore
import IPCTesting
import Testing

/// Requests with waiting senders, from start to end.
@Suite(.serialized, .timeLimit(.minutes(1))) struct OpenRequestTests {
    let place: TestPlace

    init() throws { place = try TestPlace() }

    private struct Refused: Error {}

    private func open(gatherMicroseconds: UInt64) throws -> Store {
        try place.open { configuration in
            configuration.lingerMilliseconds = 3_600_000
            configuration.gatherMicroseconds = gatherMicroseconds
        }
    }

    private func begin(_ count: Int, in store: Store) async throws -> [RequestID] {
        var ids: [RequestID] = []
        for _ in 0..<count {
            var request = place.request()
            request.state = .waiting
            let begun = request
            _ = try await store.stage { try $0.requests.begin(begun) }
            ids.append(request.id)
        }
        return ids
    }

    private static let hour: UInt64 = 3_600_000_000

    @Test func concurrentRequestsShareAFlush() async throws {
        let store = try open(gatherMicroseconds: Self.hour)
        let ids = try await begin(3, in: store)
        let before = store.statistics.snapshot.commits
        let answers = Collected<Int>()
        for index in 0..<2 {
            let id = ids[index]
            store.commit(
                { try $0.requests.finish(id, RequestEnd(.handled, attempts: 1)) }, then: { _ in answers.add(index) })
            // Once this call returns, the end of the request has run too, because operations run in order.
            _ = try await store.stage { _ in }
            if index == 0 {
                #expect(answers.elements.isEmpty, "the first end waits, because two more requests are open")
            }
        }
        #expect(try await answers.wait(for: 2) == [0, 1])
        #expect(store.statistics.snapshot.commits == before + 1)
        try await store.close()
    }

    /// The control: if groups do not wait for other requests to end, the end of each request is flushed on its own.
    @Test func withoutALingerTimeEachRequestIsFlushed() async throws {
        let store = try open(gatherMicroseconds: 0)
        let ids = try await begin(3, in: store)
        let before = store.statistics.snapshot.commits
        for id in ids.prefix(2) { try await store.end(id, .handled) }
        #expect(store.statistics.snapshot.commits == before + 2)
        try await store.close()
    }

    @Test func aSlowRequestDelaysNoOther() async throws {
        let store = try open(gatherMicroseconds: Self.hour)
        let ids = try await begin(2, in: store)
        #expect(try await store.end(ids[0], .handled).outcome == .handled)
        try await store.close()
    }

    @Test func aRolledBackEndLeavesTheRequestUnchanged_I2() async throws {
        let store = try open(gatherMicroseconds: 0)
        let id = try await begin(1, in: store)[0]
        // The request starts in the same group, so its end is rolled back by writing the old state back.
        await #expect(throws: Refused.self) {
            try await store.commit { transaction in
                _ = try transaction.requests.finish(id, RequestEnd(.failed, attempts: 7))
                throw Refused()
            }
        }
        #expect(try await store.commit { try $0.requests.record(id) }?.state == .waiting)
        try await store.close()
        let again = try open(gatherMicroseconds: 0)
        let record = try await again.commit { try $0.requests.record(id) }
        #expect(record?.state == .waiting && record?.attempts == 0 && record?.outcome == nil)
        #expect(try await again.end(id, .handled).outcome == .handled)
        try await again.close()
    }
}
