import Foundation
import IPCModel
import IPCStore
import Testing

/// No operation takes longer because many requests are waiting, and a start finds many of them quickly.
@Suite(.serialized) struct RequestScaleTests {
    private struct Times {
        var start, list, accept, deliver, end: Duration
    }

    /// Fills a store with this many open requests, and measures the broker's operations.
    private func measure(pending: Int) async throws -> Times {
        let place = try TestPlace()
        var store = try place.open()
        for _ in stride(from: 0, to: pending, by: 1_000) {
            _ = try await store.stage { transaction in
                for number in 0..<min(1_000, pending) {
                    let request = place.request(source: "demo.Source\(number % 32)")
                    _ = try transaction.requests.begin(
                        request, payload: .items([.string("payload")]), trace: [place.step(.queued)])
                }
            }
        }
        try await store.close()
        let clock = ContinuousClock()
        var began = clock.now
        store = try place.open()
        let start = clock.now - began
        began = clock.now
        var (next, found) = (RequestPlace?.some(.start), 0)
        while let from = next {
            let page = try await store.commit { try $0.requests.unended(from: from, limit: 1_000) }
            (next, found) = (page.next, found + page.requests.count)
        }
        let list = clock.now - began
        #expect(found == pending)
        let requests = (0..<500).map { _ in place.request() }
        var times: [Duration] = []
        let steps: [@Sendable (borrowing StoreTransaction, RequestRecord) throws -> Void] = [
            {
                _ = try $0.requests.begin($1, payload: .items([.string("payload")]), trace: [place.step(.queued)])
            }, { _ = try $0.requests.beginAttempt($1.id, trace: [place.step(.delivered)]) },
            { _ = try $0.requests.finish($1.id, RequestEnd(.handled), trace: [place.step(.ended)]) },
        ]
        for step in steps {
            began = clock.now
            _ = try await store.stage { transaction in for request in requests { try step(transaction, request) } }
            times.append((clock.now - began) / requests.count)
        }
        try await store.close()
        return Times(start: start, list: list, accept: times[0], deliver: times[1], end: times[2])
    }

    @Test func manyPendingRequestsCostNoMoreThanFew() async throws {
        let many = ThisProcess.isFullSize ? 100_000 : 5_000
        let few = try await measure(pending: 10)
        let times = try await measure(pending: many)
        print("store: 10 pending: \(few)\nstore: \(many) pending: \(times)")
        // A duration that grew with the number of waiting requests would be hundreds of times as long.
        for (one, other) in [(few.accept, times.accept), (few.deliver, times.deliver), (few.end, times.end)] {
            #expect(other < max(one * 10, .milliseconds(2)), "\(one) \(other)")
        }
    }
}
