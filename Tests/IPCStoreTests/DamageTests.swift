import Foundation
import IPCModel
import IPCStore
import Testing

/// Flipped bits never come back as good data, and damage nothing that they do not hit (I5).
@Suite(.serialized) struct DamageTests {
    let place: TestPlace
    let hit = PasteboardName.named("demo.Hit")
    let safe = PasteboardName.named("demo.Safe")
    let id = RequestID.random()

    init() throws { place = try TestPlace() }

    private static let source = Source(application: "demo.WriterOfTheVersion", strength: .owned)
    private static let value = "the value of the representation"

    /// Writes a record of each kind, with texts that can be found in the file.
    private func write() async throws {
        let store = try place.open()
        let removed = PasteboardName.named("demo.RemovedPasteboard")
        for name in [hit, safe] { try await store.put("first", on: name) }
        try await store.commit { transaction in
            _ = try transaction.setItems(
                [.string(Self.value)], on: hit, WriteOptions(source: Self.source, id: id))
            _ = try transaction.createPasteboard(removed, persistent: true)
            try transaction.removePasteboard(removed)
            let application = ApplicationID("demo.Claimant")
            try transaction.registrations.saveClaim(
                StoredClaim(application: application, scheme: URLScheme("demo.x"), time: 1))
            try transaction.registrations.setDefault(ApplicationID("demo.Chosen"), for: URLScheme("demo.x"))
            _ = try transaction.requests.begin(
                RequestRecord(
                    id: id, arguments: ContentDigest(of: [1]), source: Source(application: "", strength: .unknown),
                    application: "demo.HandlerOfTheRequest", url: "demo:x", accepted: 1))
        }
        try await store.close()
    }

    /// Flips a bit at each place in the file that contains the text, and opens the store.
    private func open(damaging text: String, bit: UInt8 = 1) throws -> Store {
        var file = try place.bytes(place.database)
        let pattern = Array(text.utf8)
        var found = 0
        for start in 0...file.count - pattern.count where file[start..<start + pattern.count].elementsEqual(pattern) {
            file[start + pattern.count / 2] ^= bit
            found += 1
        }
        try #require(found > 0, "\(text)")
        try place.write(file, to: place.database)
        return try place.open()
    }

    private func expectSafe(_ store: Store) async throws {
        #expect(try await store.text(of: safe) == "first")
        try await store.put("second", on: safe)
        #expect(try await store.text(of: safe) == "second")
    }

    @Test(arguments: [DamageTests.value, "demo.WriterOfTheVersion", "text/plain;charset=utf-8"])
    func damagedVersionIsAnErrorAndCanBeReplaced_I5(text: String) async throws {
        try await write()
        let store = try open(damaging: text)
        let count = try #require(try await store.commit { try $0.pasteboard(hit)?.changeCount })
        await #expect(throws: PasteboardError.damaged(hit, count)) { try await store.text(of: hit) }
        await #expect(throws: PasteboardError.damaged(hit, count)) {
            try await store.commit { try $0.representation(0, .utf8PlainText, of: hit).facts }
        }
        try await store.put("replaced", on: hit)
        #expect(try await store.text(of: hit) == "replaced")
        if !text.hasPrefix("text/plain") { try await expectSafe(store) }
        try await store.close()
    }

    @Test func damagedPasteboardCanBeReplacedOrRemoved_I5() async throws {
        try await write()
        let store = try open(damaging: "demo.Hit", bit: 2)
        // The flipped bit also changed the name in the index. So the pasteboard now has this name, and is damaged.
        let renamed = PasteboardName.named("demo,Hit")
        await #expect(throws: PasteboardError.damaged(renamed, 0)) { try await store.text(of: renamed) }
        #expect(try await store.commit { try $0.pasteboards(limit: 9).map(\.name) } == [safe, .general])
        await #expect(throws: PasteboardError.damaged(renamed, 0)) {
            try await store.commit { try $0.addItems([.string("x")], to: renamed) }
        }
        // So a write with the option “create” replaces it too, instead of creating it.
        #expect(try await store.commit { try $0.hasPasteboard(renamed) })
        try await store.commit { try $0.setItems([.string("new")], on: renamed) }
        #expect(try await store.text(of: renamed) == "new")
        try await store.commit { try $0.removePasteboard(renamed) }
        #expect(try await store.commit { try $0.pasteboard(renamed) } == nil)
        try await expectSafe(store)
        try await store.close()
    }

    @Test func damagedRemovalIsNotReported_I5() async throws {
        try await write()
        let store = try open(damaging: "demo.RemovedPasteboard")
        let changes = try await store.commit { try $0.changes(since: 1) }
        #expect(!changes.changed.contains { $0.changeCount == 0 })
        try await expectSafe(store)
        try await store.close()
    }

    @Test func damagedCallHasNoSecondEffect_I5() async throws {
        try await write()
        // In the row of a call, the id is followed by the digest of the arguments, so the damaged byte after the id is
        // in the same row.
        let store = try await openWithDamagedOperation()
        await #expect(throws: StoreError.damagedRecord("the call \(id.text)")) {
            try await store.commit {
                try $0.setItems([.string(Self.value)], on: hit, WriteOptions(source: Self.source, id: id))
            }
        }
        try await expectSafe(store)
        try await store.close()
    }

    /// Damages the byte after the call's id, which is both in the row of the call and in that of the request.
    private func openWithDamagedOperation() async throws -> Store {
        var file = try place.bytes(place.database)
        let pattern = Array(id.text.utf8)
        for start in 0...file.count - pattern.count where file[start..<start + pattern.count].elementsEqual(pattern) {
            file[start + pattern.count + 1] ^= 0x10
        }
        try place.write(file, to: place.database)
        return try place.open()
    }

    @Test func damagedRequestIsAnError_I5() async throws {
        try await write()
        let store = try open(damaging: "demo.HandlerOfTheRequest")
        await #expect(throws: StoreError.damagedRecord("the request \(id.text)")) {
            try await store.commit { try $0.requests.record(id) }
        }
        #expect(try await store.commit { try $0.requests.unended(from: .start, limit: 9).requests }.isEmpty)
        try await expectSafe(store)
        try await store.close()
    }

    @Test func damagedRegistrationsAreOmitted_I5() async throws {
        try await write()
        var store = try open(damaging: "demo.Claimant")
        let claims = try await store.commit { try $0.registrations.claims() }
        #expect(claims.claims.isEmpty && claims.damaged == 1)
        try await store.close()
        store = try open(damaging: "demo.Chosen")
        let defaults = try await store.commit { try $0.registrations.defaults() }
        #expect(defaults.defaults.isEmpty && defaults.damaged == 1)
        try await expectSafe(store)
        try await store.close()
    }

    @Test func undamagedStoreIsRead() async throws {
        try await write()
        let store = try place.open()
        #expect(try await store.text(of: hit) == Self.value)
        #expect(try await store.commit { try $0.requests.record(id) } != nil)
        try await store.close()
    }
}
