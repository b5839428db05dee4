import IPCModel
import IPCStore
import IPCTesting
import Testing

@Suite(.serialized, .enabled(if: SmallFileSystem.isPossible, "a file system can be mounted"))
struct FullDiskTests {
    let place: TestPlace
    let disk: SmallFileSystem
    let board = PasteboardName.named("a")
    let other = PasteboardName.named("b")

    init() throws {
        place = try TestPlace()
        disk = try #require(SmallFileSystem())
    }

    private func open(lingerMilliseconds: UInt64 = 5) throws -> Store {
        var configuration = place.configuration(disk.path + "/store")
        configuration.lingerMilliseconds = lingerMilliseconds
        return try Store.open(configuration)
    }

    @Test func fullDiskRejectsWritesAndTheStoreRecovers_I4() async throws {
        let store = try open()
        try await store.put("kept", on: board)
        try await store.put("in memory", on: other, persistent: false)
        for round in 0..<20 {
            disk.fill()
            await #expect(throws: StoreError.noSpace) { try await store.put("lost", on: board) }
            await #expect(throws: StoreError.noSpace) { try await store.commit { try $0.removePasteboard(board) } }
            #expect(try await store.text(of: board) == (round == 0 ? "kept" : "after \(round - 1)"))
            // Operations that need no disk continue.
            try await store.put("\(round)", on: other)
            disk.empty()
            try await store.put("after \(round)", on: board)
            let image = try Store.open(place.crashImage(of: disk.path + "/store", "image-\(round)"))
            #expect(try await image.text(of: board) == "after \(round)")
            try await image.close()
        }
        try await store.close()
    }

    @Test func readersOfALostGroupAreAnswered_I4() async throws {
        let store = try open(lingerMilliseconds: 3_600_000)
        let count = try await store.put("kept", on: board)
        disk.fill()
        let staged = try await store.stage { try $0.setItems([.string("lost")], on: board) }
        // The read joins the group of the staged write. That group cannot be written to disk.
        #expect(try await store.text(of: board) == "kept")
        await #expect(throws: StoreError.noSpace) { try await store.commit { try $0.require(staged.group) } }
        disk.empty()
        await #expect(throws: StoreError.noSpace) { try await store.commit { try $0.require(staged.group) } }
        let after = try await store.put("after", on: board)
        #expect(after > staged.value && staged.value > count)
        try await store.close()
    }

    @Test func stateInMemoryMatchesTheDisk_I4() async throws {
        let store = try open()
        try await store.put("kept", on: board)
        let options = WriteOptions(id: .random())
        let request = RequestRecord(
            id: .random(), arguments: ContentDigest(of: [1]), source: Source(application: "x.Y", strength: .owned),
            application: "a.B", url: "a:", accepted: 1)
        disk.fill()
        await #expect(throws: StoreError.noSpace) {
            try await store.commit { transaction in
                _ = try transaction.setItems([.string("lost")], on: board, options)
                _ = try transaction.createPasteboard(other, persistent: true)
                _ = try transaction.requests.begin(request)
                _ = try transaction.requests.finish(request.id, RequestEnd(.handled))
            }
        }
        disk.empty()
        let (pasteboards, found, known) = try await store.commit {
            ($0.usage().total.pasteboards, try $0.pasteboard(other), try $0.requests.record(request.id))
        }
        #expect(pasteboards == 2 && found == nil && known == nil)
        try await store.commit { try $0.setItems([.string("found")], on: board, options) }
        #expect(try await store.text(of: board) == "found")
        try await store.close()
    }

    @Test func requestsOnAFullDiskAreRefusedAndNoneIsLost_I4() async throws {
        let store = try open()
        let large = ValueFile.pattern(100_000)
        let (kept, refused, next) = (place.request(), place.request(), place.request())
        try await store.accept(kept, .items([.string("kept"), ValueFile.sealed.item(large)]))
        disk.fill()
        await #expect(throws: StoreError.noSpace) { try await store.accept(refused, .items([.string("refused")])) }
        await #expect(throws: StoreError.noSpace) {
            try await store.accept(refused, .items([ValueFile.sealed.item(large)]))
        }
        // The attempt number must be on disk before any handler sees it.
        await #expect(throws: StoreError.noSpace) { try await store.attempt(kept.id) }
        await #expect(throws: StoreError.noSpace) { try await store.end(kept.id, .handled) }
        #expect(
            try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.map(\.id) == [kept.id])
        disk.empty()
        #expect(try await store.commit { try $0.requests.record(refused.id) } == nil)
        try await store.accept(next, .items([.string("next")]))
        let attempt = try await store.commit { try $0.requests.beginAttempt(kept.id) }
        #expect(attempt.record.attempts == 1)
        #expect(try attempt.items?.last?.firstBytes == large)
        let image = try Store.open(place.crashImage(of: disk.path + "/store", "image"))
        #expect(
            try await image.commit { try $0.requests.unended(from: .start, limit: 9).requests }.map(\.id) == [
                kept.id, next.id,
            ])
        #expect(try await image.blobs().count == 1)
        try await image.close()
        try await store.end(kept.id, .handled)
        #expect(try await store.blobs().isEmpty)
        try await store.close()
    }

    @Test func stopOnAFullDiskLosesNothing_I4() async throws {
        var store = try open()
        try await store.put("kept", on: board)
        disk.fill()
        try? await store.close()
        disk.empty()
        store = try open()
        #expect(try await store.text(of: board) == "kept")
        try await store.close()
    }
}
