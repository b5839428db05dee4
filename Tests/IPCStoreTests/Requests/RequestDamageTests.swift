import Foundation
import IPCModel
import IPCStore
import Testing

/// Flipped bits damage the request that they hit, and no other (I5).
@Suite(.serialized) struct RequestDamageTests {
    let place: TestPlace
    let large = ValueFile.pattern(100_000)

    init() throws { place = try TestPlace() }

    /// Writes one request that will be damaged and one that will not, and stops.
    private func write(_ payload: RequestPayload) async throws -> (hit: RequestRecord, safe: RequestRecord) {
        let store = try place.open()
        let requests = (hit: place.request(source: "demo.SourceThatIsHit"), safe: place.request())
        try await store.accept(requests.hit, payload, trace: [place.step(.queued, "the step that is hit")])
        try await store.accept(requests.safe, .items([.string("safe")]))
        try await store.close()
        return requests
    }

    private func damage(_ text: String) throws {
        var file = try place.bytes(place.database)
        let pattern = Array(text.utf8)
        let start = try #require(
            file.indices.dropLast(pattern.count).first { file[$0..<$0 + pattern.count].elementsEqual(pattern) })
        file[start + pattern.count / 2] ^= 1
        try place.write(file, to: place.database)
    }

    private func expectSafe(_ store: Store, _ safe: RequestRecord) async throws {
        #expect(try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.last?.id == safe.id)
        #expect(try await store.attempt(safe.id) == [.string("safe")])
        #expect(try await store.end(safe.id, .handled).outcome == .handled)
    }

    @Test func damagedRecordIsAnErrorUntilItIsDropped_I5() async throws {
        let (hit, safe) = try await write(.items([.string("lost")]))
        try damage("the step that is hit")
        let store = try place.open()
        let error = StoreError.damagedRecord("the request \(hit.id.text)")
        await #expect(throws: error) { try await store.attempt(hit.id) }
        await #expect(throws: error) { try await store.end(hit.id, .failed) }
        #expect(
            try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.map(\.id) == [safe.id])
        #expect(try await store.requests(after: nil, limit: 9) { _ in true }.map(\.id) == [safe.id])
        try await expectSafe(store, safe)
        #expect(try await store.commit { $0.usage() }.total.items == 1)
        // After a day, the damaged record is deleted, with everything that belongs to it.
        place.pass(86_400_000)
        _ = try await store.commit { try $0.expire() }
        #expect(try await store.commit { try $0.requests.record(hit.id) } == nil)
        #expect(try await store.commit { $0.usage() }.total.items == 0)
        try await store.close()
    }

    @Test func damagedPayloadIsReportedAndTheRequestCanEnd_I5() async throws {
        let (hit, safe) = try await write(.items([.string("the value that is hit")]))
        try damage("the value that is hit")
        let store = try place.open()
        await #expect(throws: RequestError.damagedPayload(hit.id)) { try await store.attempt(hit.id) }
        // The failed attempt was not recorded.
        #expect(try await store.commit { try $0.requests.record(hit.id)?.attempts } == 0)
        #expect(try await store.end(hit.id, .failed).outcome == .failed)
        try await store.commit { try $0.requests.drop(hit.id) }
        try await expectSafe(store, safe)
        try await store.close()
    }

    @Test(arguments: [true, false])
    func damagedOrMissingBlobIsReported_I5(isMissing: Bool) async throws {
        let (hit, safe) = try await write(.items([ValueFile.sealed.item(large)]))
        var store = try place.open()
        let blobs = try await store.blobs()
        try await store.close()
        let file = place.store + "/blobs/" + (try #require(blobs.first))
        if isMissing {
            try FileManager.default.removeItem(atPath: file)
        } else {
            var bytes = try place.bytes(file)
            bytes[50_000] ^= 1
            try place.write(bytes, to: file)
        }
        store = try place.open()
        await #expect(throws: RequestError.damagedPayload(hit.id)) { try await store.attempt(hit.id) }
        try await store.end(hit.id, .failed)
        try await expectSafe(store, safe)
        try await store.close()
    }

    @Test func salvageRemovesPayloadsOfLostRecords_I5() async throws {
        let (hit, safe) = try await write(.items([ValueFile.sealed.item(large)]))
        try damage("the step that is hit")
        // The damaged definition of a table makes SQLite reject the file. The file is moved aside, and its intact
        // content is copied.
        try damage("CREATE TABLE removal")
        let store = try place.open()
        #expect(store.report.salvaged != nil)
        #expect(try await store.commit { try $0.requests.record(hit.id) } == nil)
        #expect(try await store.commit { $0.usage() }.total.items == 1)
        try await expectSafe(store, safe)
        try await store.close()
    }

    @Test func undamagedRequestsAreRead() async throws {
        let (hit, safe) = try await write(.items([.string("the value that is hit")]))
        let store = try place.open()
        #expect(try await store.attempt(hit.id) == [.string("the value that is hit")])
        try await store.end(hit.id, .handled)
        try await expectSafe(store, safe)
        try await store.close()
    }
}
