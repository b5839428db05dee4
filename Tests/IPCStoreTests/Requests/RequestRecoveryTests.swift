import Foundation
import IPCModel
import IPCStore
import Testing

private struct Refusal: Error {}

/// What is left of a request after a crash at any moment, and after an operation that fails halfway.
@Suite(.serialized) struct RequestRecoveryTests {
    let place: TestPlace
    let board = PasteboardName.named("a")
    let large = ValueFile.pattern(100_000)

    init() throws { place = try TestPlace() }

    /// Accepts queued requests, each with a change to a pasteboard, and checks the files after each answer. Returns the
    /// number of requests that a crash would have lost.
    private func lost(_ control: StoreConfiguration.Control?) async throws -> Int {
        let store = try place.open { $0.control = control }
        try await store.put("first", on: board)
        var lost = 0
        for number in 0..<10 where lost == 0 {
            let request = place.request(board: board)
            let items = [PasteboardItem.string("text \(number)")]
            try await store.commit { transaction in
                let count = try transaction.setItems(items, on: board)
                _ = try transaction.requests.begin(request, payload: .version(of: board, changeCount: count))
            }
            let image = try Store.open(place.crashImage("image-\(number)"))
            let kept = try await image.commit { try $0.requests.unended(from: .start, limit: 100).requests }.count
            if kept != number + 1 { lost += 1 } else { #expect(try await image.attempt(request.id) == items) }
            try await image.close()
        }
        try await store.close()
        return lost
    }

    @Test func acceptedRequestIsInTheFilesWithItsPayload_I1() async throws {
        #expect(try await lost(nil) == 0)
    }

    @Test func controlThatAcceptsBeforeTheCommitIsFound_I1() async throws {
        #expect(try await lost(.acknowledgeBeforeCommit) > 0)
    }

    @Test func everyImageHasRequestAndPasteboardTogether_I2() async throws {
        let store = try place.open()
        try await store.put("-1", on: board)
        let requests = (0..<200).map { place.request(arguments: [UInt8($0)], board: board) }
        let writer = Task {
            for (number, request) in requests.enumerated() {
                try await store.commit { transaction in
                    let count = try transaction.setItems([.string("\(number)")], on: board)
                    let payload = RequestPayload.version(of: board, changeCount: count)
                    _ = try transaction.requests.begin(request, payload: payload)
                    if number % 3 == 0 { _ = try transaction.requests.finish(request.id, RequestEnd(.handled)) }
                }
            }
        }
        for number in 0..<20 {
            let image = try Store.open(place.crashImage("image-\(number)"))
            try await image.commit { transaction in
                let latest = Int(try transaction.items(of: board).items.first?.string ?? "") ?? -2
                let known = try requests.filter { try transaction.requests.record($0.id) != nil }
                #expect(known.count == latest + 1)
                for request in try transaction.requests.unended(from: .start, limit: 1_000).requests {
                    let items = try transaction.requests.beginAttempt(request.id).items
                    #expect(items?.first?.string == "\(requests.firstIndex { $0.id == request.id } ?? -3)")
                }
            }
            try await image.close()
        }
        try await writer.value
        try await store.close()
    }

    /// Performs every kind of change to the information about requests that is kept in memory.
    private func everything(
        _ transaction: borrowing StoreTransaction, _ known: [RequestRecord], _ fresh: [RequestRecord]
    ) throws {
        _ = try transaction.setItems([.string("half")], on: board)
        _ = try transaction.requests.begin(fresh[0], payload: .items([.string("half")]))
        _ = try transaction.requests.begin(
            fresh[1], payload: .version(of: board, changeCount: try transaction.changes(since: 0).latest - 1))
        _ = try transaction.requests.finish(fresh[0].id, RequestEnd(.failed))
        try transaction.requests.drop(fresh[0].id)
        _ = try transaction.requests.beginAttempt(known[0].id, trace: [place.step(.delivered)])
        _ = try transaction.requests.finish(known[0].id, RequestEnd(.handled))
        try transaction.requests.drop(known[1].id)
        _ = try transaction.requests.retry(known[2].id, fresh[2])
        try transaction.requests.noteLateOutcome(known[2].id, .handled)
        _ = try transaction.requests.noteSteps(known[3].id, [], isCrash: true)
        // These exceed the number of records that are kept. The oldest records are deleted, and so are the entries of
        // dropped requests.
        for request in fresh[3...] {
            _ = try transaction.requests.begin(request)
            _ = try transaction.requests.finish(request.id, RequestEnd(.failed))
        }
        try transaction.registrations.setPolicy(AccessPolicy(allowsOthers: false), of: ApplicationID("demo.One"))
    }

    /// Describes everything about the requests that can be queried.
    private func state(_ store: Store, _ all: [RequestRecord]) async throws -> String {
        let listed = try await store.requests(after: nil, limit: 1_000) { _ in true }
        return try await store.commit { transaction in
            let records = try all.map { try transaction.requests.record($0.id) }
            let unended = try transaction.requests.unended(from: .start, limit: 1_000).requests
            let usage = transaction.usage()
            return "\(listed) \(records) \(unended) \(usage) \(try transaction.registrations.policies())"
        }
    }

    @Test func operationThatThrowsLeavesNothingBehind_I2() async throws {
        let store = try place.open { ($0.limits.endedRequestsKept, $0.lingerMilliseconds) = (4, 3_600_000) }
        let count = try await store.put([ValueFile.sealed.item(large)], on: board, persistent: true)
        let known = (0..<6).map { _ in place.request() }
        for request in known { try await store.accept(request, .version(of: board, changeCount: count)) }
        for request in known[1...2] { try await store.end(request.id, .timedOut) }
        try await store.end(known[5].id, .failed)
        let fresh = (0..<9).map { _ in place.request() }
        let before = try await state(store, known + fresh)
        for round in 0..<3 {
            // The failing operation is the first in its group in round 0, and follows another change in later rounds.
            _ = try await store.stage { transaction in
                if round > 0 { _ = try transaction.clear(.general) }
            }
            await #expect(throws: Refusal.self) {
                try await store.stage { transaction in
                    try everything(transaction, known, fresh)
                    throw Refusal()
                }
            }
            #expect(try await state(store, known + fresh) == before)
        }
        let image = try Store.open(place.crashImage())
        #expect(try await state(image, known + fresh) == before)
        try await image.close()
        #expect(try await store.blobs().count == 1)
        // The control: the same operation changes the state if it does not throw.
        try await store.commit { try everything($0, known, fresh) }
        #expect(try await state(store, known + fresh) != before)
        #expect(try await store.attempt(known[3].id)?.first?.firstBytes == large)
        try await store.close()
    }

    @Test func crashLeavesNoPayloadBlobBehind_I2() async throws {
        let store = try place.open()
        let request = place.request()
        let image = try await store.withPayload(.items([ValueFile.sealed.item(large)])) { payload in
            try await store.commit { transaction in
                _ = try transaction.requests.begin(request, payload: payload)
                return try place.crashImage("before")
            }
        }
        let before = try Store.open(image)
        #expect(try await before.swept().removed == 1)
        #expect(try await before.commit { try $0.requests.record(request.id) } == nil)
        #expect(try await before.blobs().isEmpty)
        try await before.close()
        let after = try Store.open(place.crashImage("after"))
        #expect(try await after.swept().removed == 0)
        #expect(try await after.attempt(request.id)?.first?.firstBytes == large)
        try await after.close()
        // Recreates the files after a crash that comes after the request's end and before the removal of its blob.
        let late = place.path + "/late"
        try FileManager.default.createDirectory(atPath: late, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: store.directory + "/blobs", toPath: late + "/blobs")
        try await store.end(request.id, .handled)
        let ended = try Store.open(place.crashImage("late"))
        #expect(try await ended.swept().removed == 1)
        #expect(try await ended.blobs().isEmpty)
        try await ended.close()
        try await store.close()
    }

    @Test func sweepKeepsThePayloadOfAnOpenRequest_I1() async throws {
        var store = try place.open()
        let (held, dropped) = (place.request(), place.request())
        for request in [held, dropped] { try await store.accept(request, .items([ValueFile.sealed.item(large)])) }
        try await store.end(dropped.id, .failed)
        for count in [2, 1] {
            #expect(try await store.blobs().count == count)
            try await store.close()
            store = try place.open()
            #expect(try await store.swept().removed == 0)
            #expect(try await store.attempt(held.id)?.first?.firstBytes == large)
            if count == 2 { try await store.commit { try $0.requests.drop(dropped.id) } }
        }
        try await store.close()
    }
}
